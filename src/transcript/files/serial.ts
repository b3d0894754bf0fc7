/** Runs tasks one after the other, in the order in which they were handed in. */
export class Serial {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task handed in so far has ended, well or badly. */
  async drained(): Promise<void> {
    await this.last;
  }
}
