import type { WaitingRoom, WaitOptions } from './waiting-room';

/** Named points at which replies wait until a test lets them go on. A released gate stays open, so a repeated
 *  reply passes it. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #held = new Map<string, Set<() => void>>();

  constructor(private readonly room: WaitingRoom) {}

  /** Resolves when the gate is open, or when `givenUp` does. */
  async pass(name: string, givenUp: Promise<void>): Promise<void> {
    if (this.#open.has(name)) return;
    const held = this.#held.get(name) ?? new Set();
    this.#held.set(name, held);
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        held.delete(goOn);
        resolve();
      };
      held.add(goOn);
      void givenUp.then(goOn);
      this.room.changed();
    });
  }

  release(name: string): void {
    this.#open.add(name);
    for (const goOn of [...(this.#held.get(name) ?? [])]) goOn();
  }

  held(): readonly string[] {
    return [...this.#held].filter(([, held]) => held.size > 0).map(([name]) => name);
  }

  async waitUntilHeld(name: string, options?: WaitOptions): Promise<void> {
    const find = (): true | undefined => (this.#held.get(name)?.size ? true : undefined);
    await this.room.wait(find, `A reply held at gate "${name}"`, options);
  }
}
