import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { failpoint } from '../failpoint/failpoint';
import { clearGhosts } from '../sandbox/ghost-folders';
import { encloseServer } from '../sandbox/enclose-server';
import type { Sandbox } from '../sandbox/sandbox';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** What keeps it in; absent: nothing does. */
  readonly sandbox?: Sandbox;
}

/** Leads the server's process group and becomes the server. Beside it waits a guard that reads from a pipe which
 *  only this process holds: when the pipe closes, by intent or by a kill, nothing of the group is left. */
const guarded = ({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): string => `
( trap '' TERM INT HUP
  read -r _ <&3
  kill -TERM "-$$"
  sleep 1
  kill -KILL "-$$"
) </dev/null >/dev/null 2>&1 &
exec ${before} "$@" 3<&- ${after}
`;

/** How long a server that is told to end may take before its group is ended. */
const LEAVES_WITHIN_MS = 300;
const KEPT_STDERR_CHARS = 2_000;
/** A message may be as long as a tool's result with images. */
const LONGEST_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A stdio server: the process group it runs in, and JSON lines to and from it. The group never outlives us. */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #of: ServerCommand;
  readonly #buffer = new ReadBuffer({ maxBufferSize: LONGEST_MESSAGE_BYTES });
  #child: ChildProcess | null = null;
  #stderr = '';
  #ending = '';

  constructor(of: ServerCommand) {
    this.#of = of;
  }

  /** How it ended and what it said last, for people; '': it runs. */
  get ending(): string {
    const said = this.#stderr.trim();
    return this.#ending === '' || said === ''
      ? this.#ending
      : `${this.#ending}: ${withoutShell(said)}`;
  }

  /** Fails: when the shell cannot be started. A program that is not there ends at once, with exit code 127. */
  async start(): Promise<void> {
    const { command, args, env, cwd, sandbox } = this.#of;
    const enclosure = sandbox && (await encloseServer(sandbox, [command, ...args], cwd));
    failpoint('mcp.spawn.before');
    const script = guarded(enclosure ?? { before: '', after: '' });
    const child = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    failpoint('mcp.spawn.after');
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-KEPT_STDERR_CHARS);
    });
    // It may end while it is written to (EPIPE); its exit tells.
    for (const stream of [child.stdin, child.stdout, child.stderr, guardOf(child)]) {
      stream.on('error', () => undefined);
    }
    child.once('close', (code, signal) => {
      enclosure?.release();
      if (sandbox !== undefined) void clearGhosts(sandbox.places.home);
      this.#closed(code, signal);
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.once('exit', () => {
      // What it left in its group would hold its output open.
      guardOf(child).destroy();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin == null || !stdin.writable) throw new Error('The server does not run.');
    if (stdin.write(serializeMessage(message))) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stdin.off('drain', go);
        stdin.off('close', go);
        resolve();
      };
      stdin.once('drain', go);
      stdin.once('close', go);
    });
  }

  /** End of input is the request to leave; whoever stays is ended by the guard, also when we are gone by then. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || this.#ending !== '') return;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin?.end();
    const late = setTimeout(() => guardOf(child).destroy(), LEAVES_WITHIN_MS);
    await closed;
    clearTimeout(late);
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(toError(error));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message, such as a greeting.
        this.onerror?.(toError(error));
      }
    }
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): void {
    this.#ending =
      code === 127
        ? `"${this.#of.command}" cannot be started`
        : signal === null
          ? `it ended${this.#of.sandbox === undefined ? '' : ' in the sandbox'} with code ${String(code)}`
          : `it was ended by ${signal}`;
    this.#buffer.clear();
    this.onclose?.();
  }
}

/** The shell that leads the group is nobody's business. */
const withoutShell = (said: string): string => said.replace(/^\S*sh: (?:line )?\d+: exec: /, '');

const guardOf = (child: ChildProcess): Readable | Writable => child.stdio[3] as Writable;

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
