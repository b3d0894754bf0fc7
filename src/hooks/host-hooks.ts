import { readClientHooks } from './client-hooks';
import type { HookSource } from './hook-set';
import type { AskClient } from './run-callback-hook';

/** Hooks of the program that hosts a session: it registers them when it connects, and they are asked in its own
 *  process. Shared by whoever hears the program and whoever runs hooks. */
export class HostHooks {
  #source: HookSource | null = null;
  #ask: AskClient | null = null;

  /** null: it has registered none. */
  get source(): HookSource | null {
    return this.#source;
  }

  get ask(): AskClient | null {
    return this.#ask;
  }

  /** Hooks of a later registration replace those of the one before. Events that only processes are asked about are
   *  left out. Fails: ZodError. */
  register(registration: unknown, ask: AskClient): void {
    const source = readClientHooks(registration);
    const groups = source.groups.filter(({ event }) => !OWN_EVENTS.has(event));
    this.#source = { ...source, groups };
    this.#ask = ask;
  }
}

/** Source: the headless protocol, 6.2. */
const OWN_EVENTS: ReadonlySet<string> = new Set(['SessionStart', 'SessionEnd']);
