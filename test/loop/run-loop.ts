import type { LoopDeps } from '../../src/loop/deps';
import type { LoopEvent } from '../../src/loop/events';
import { queryLoop } from '../../src/loop/query-loop';
import type { QueryParams } from '../../src/loop/query-params';
import type { State } from '../../src/loop/state';
import type { Terminal } from '../../src/loop/terminal';

type EndEvent = Extract<LoopEvent, { type: 'end' }>;

export interface LoopRun {
  readonly events: readonly LoopEvent[];
  readonly terminal: Terminal;
  /** What the loop told last: the terminal, and what is still to be chained. */
  readonly end: EndEvent;
  /** The State after each transition. */
  readonly states: readonly State[];
}

/** Drives the loop to its end. `onEvent` runs before the loop goes on. */
export async function runLoop(
  queryParams: QueryParams,
  deps: LoopDeps,
  onEvent: (event: LoopEvent) => void = () => undefined,
): Promise<LoopRun> {
  const loop = queryLoop(queryParams, deps);
  const events: LoopEvent[] = [];
  for (;;) {
    const step = await loop.next();
    if (step.done === true) {
      const end = events.at(-1);
      if (end?.type !== 'end') throw new Error('The loop did not tell its end.');
      const states = events.flatMap((event) => (event.type === 'transition' ? [event.state] : []));
      return { events, terminal: step.value, end, states };
    }
    events.push(step.value);
    onEvent(step.value);
  }
}

export const reasonsOf = ({ states }: LoopRun): readonly (string | undefined)[] =>
  states.map(({ transition }) => transition?.reason);

/** A promise that is settled from outside. */
export interface Later<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function later<T>(): Later<T> {
  let resolve!: Later<T>['resolve'];
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Lets everything run that is not waiting for the outside world. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
