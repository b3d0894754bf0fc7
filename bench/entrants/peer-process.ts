import { fork, type ChildProcess } from 'node:child_process';
import { clockMs } from '../../src/bench/clock';
import { WaitingRoom } from '../../src/scripted-model/waiting-room';
import type { Call, Order, Told } from '../protocol';
import type { Agent, Conversation } from './entrant';

const STARTS_WITHIN_MS = 120_000;
/** A day: whoever waits has a time limit of their own. */
const ENDS_WITHIN_MS = 86_400_000;
const LAST_OUTPUT_CHARS = 2_000;

/** A peer's program in a process of its own. */
export class PeerProcess implements Agent {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #room = new WaitingRoom();
  readonly #ended = new Map<string, string | null>();
  #isReady = false;
  #output = '';

  private constructor(script: string, order: Order) {
    this.#child = fork(script, [], {
      // The peers' programs are plain JavaScript: no loader of ours may slow them down.
      ...(script.endsWith('.mjs') && { execArgv: [] }),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...environment(), BENCH_ORDER: JSON.stringify(order) },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-LAST_OUTPUT_CHARS);
      });
    }
    this.#child.on('message', (told: Told) => {
      if (told.type === 'ready') this.#isReady = true;
      else this.#ended.set(told.id, told.error);
      this.#room.changed();
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        const how = signal ?? `code ${code ?? '?'}`;
        this.#room.close(`${script} has ended (${how}). Its last output:\n${this.#output}`);
        resolve();
      });
    });
  }

  static async start(script: string, order: Order): Promise<PeerProcess> {
    const peer = new PeerProcess(script, order);
    await peer.#room.wait(() => peer.#isReady || undefined, script, {
      timeoutMs: STARTS_WITHIN_MS,
    });
    return peer;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  run(conversation: Conversation): Promise<string | null> {
    return this.#call({ type: 'run', ...conversation });
  }

  resume(conversation: Conversation): Promise<string | null> {
    return this.#call({ type: 'resume', ...conversation });
  }

  async kill(): Promise<number> {
    const killedAtMs = clockMs();
    this.#child.kill('SIGKILL');
    await this.#exited;
    return killedAtMs;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }

  async #call(call: Call): Promise<string | null> {
    this.#child.send(call);
    await this.#room.wait(() => this.#ended.has(call.id) || undefined, call.id, {
      timeoutMs: ENDS_WITHIN_MS,
    });
    return this.#ended.get(call.id) ?? null;
  }
}

/** Of the user's environment, nothing may reach a peer that changes what it does. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), NODE_ENV: 'production' };
}
