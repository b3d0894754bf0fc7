import { fork, type ChildProcess } from 'node:child_process';
import type { Reply } from '../../scripted-model/reply';
import { WaitingRoom } from '../../scripted-model/waiting-room';
import type { Arrival, Departure, ModelMessage, Play } from './model-message';

const ANSWERS_WITHIN_MS = 60_000;

/** The model in a process of its own, and what it has seen. */
export class ModelProcess {
  /** Requests since the last script, in order, those for a summary apart. */
  arrivals: Arrival[] = [];
  summaries: Arrival[] = [];
  departures: Departure[] = [];
  #url: string | undefined;
  #playing = 0;
  readonly #room = new WaitingRoom();

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: ModelMessage) => {
      if (message.type === 'listening') this.#url = message.url;
      else if (message.type === 'playing') {
        this.#playing += 1;
        this.arrivals = [];
        this.summaries = [];
        this.departures = [];
      } else if (message.type === 'left') this.departures.push(message);
      else (message.isSummary ? this.summaries : this.arrivals).push(message);
      this.#room.changed();
    });
    child.once('exit', () => this.#room.close('The model process has ended.'));
  }

  static async start(): Promise<ModelProcess> {
    const model = new ModelProcess(fork(require.resolve('./silent-model')));
    await model.#room.wait(() => model.#url, 'The address of the model', {
      timeoutMs: ANSWERS_WITHIN_MS,
    });
    return model;
  }

  get url(): string {
    return this.#url ?? '';
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** From now on the n-th request gets the n-th reply. */
  async play(
    replies: readonly Reply[],
    { comparesPrefixes = false, countsTokens = true }: Partial<Play> = {},
  ): Promise<void> {
    const before = this.#playing;
    const play: Play = { replies, comparesPrefixes, countsTokens };
    this.child.send(play);
    await this.#room.wait(() => (this.#playing > before ? true : undefined), 'The script to begin');
  }

  /** Fails: Error after the time limit. */
  request(index: number, timeoutMs: number): Promise<Arrival> {
    return this.#room.wait(() => this.arrivals[index], `Request ${index} to the model`, {
      timeoutMs,
    });
  }

  /** Resolves when the client of the request has closed it. Fails: Error after the time limit. */
  departure(index: number, timeoutMs: number): Promise<Departure> {
    return this.#room.wait(
      () => this.departures.find((each) => each.index === index),
      `The end of request ${index}`,
      { timeoutMs },
    );
  }

  close(): void {
    this.child.removeAllListeners('exit');
    if (this.child.connected) this.child.disconnect();
  }
}
