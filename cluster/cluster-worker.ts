import type { Supervised } from './supervised';

/** A Worker of the cluster: a host of its own, that can be lost and come back. */
export class ClusterWorker {
  /** Resolves, with how, when it has ended and nobody has killed it. */
  readonly ended: Promise<string>;
  #process: Supervised | null = null;
  #tellEnd: (how: string) => void = () => undefined;

  constructor(
    /** As other hosts know it. */
    readonly host: string,
    /** Its home folder is in there. */
    readonly folder: string,
    /** Resolves when it is ready. */
    private readonly begin: () => Promise<Supervised>,
  ) {
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve));
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Resolves when it is ready. Fails: Error with the end of its log. */
  async start(): Promise<void> {
    const process = await this.begin();
    this.#process = process;
    void process.ended.then((how) => {
      if (this.#process === process) this.#tellEnd(how);
    });
  }

  /** SIGKILL; resolves when it is gone. Commands that it has started go on. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    await process?.kill();
  }
}
