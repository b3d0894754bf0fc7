import type { ToolUse } from '../../src/loop/context';
import type { ToolOutcome } from '../../src/loop/outcomes';
import { createToolScheduler, type ToolScheduler } from '../../src/loop/tool-scheduler';
import { DONE } from './builders';
import { later, settle, type Later } from './run-loop';

/** A scheduler whose calls run until the test ends them. */
export interface Bench {
  readonly tools: ToolScheduler;
  /** Ids of the calls that were started, in order. */
  readonly started: string[];
  mayStart: boolean;
  finish(id: string, outcome?: ToolOutcome): Promise<void>;
  /** The call was told that it is not wanted any more. */
  isUnwanted(id: string): boolean;
}

export function bench({ maxConcurrency = 10, siblingAbort = false } = {}): Bench {
  const running = new Map<string, Later<ToolOutcome>>();
  const unwanted = new Set<string>();
  const made: Bench = {
    started: [],
    mayStart: true,
    tools: createToolScheduler({
      run({ id }, broken) {
        made.started.push(id);
        void broken?.then(() => unwanted.add(id));
        running.set(id, later());
        return running.get(id)!.promise;
      },
      mayStart: () => made.mayStart,
      maxConcurrency,
      siblingAbort,
    }),
    async finish(id, outcome = DONE) {
      running.get(id)!.resolve(outcome);
      await settle();
    },
    isUnwanted: (id) => unwanted.has(id),
  };
  return made;
}

/** Reads the results as they are released. */
export function follow({ tools }: Bench): {
  readonly released: string[];
  readonly over: Promise<void>;
} {
  const released: string[] = [];
  const read = async (): Promise<void> => {
    for (const { toolUse, outcome } of tools.results()) {
      released.push(`${toolUse.id} ${(await outcome).type}`);
    }
    await Promise.all(tools.voided());
  };
  return { released, over: read() };
}

export const take = (on: Bench, ...calls: readonly ToolUse[]): void =>
  on.tools.addAll('stream', calls);
