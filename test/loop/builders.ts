import type { ToolUse } from '../../src/loop/context';
import type {
  LoopDeps,
  LoopEvent,
  ModelEvent,
  ModelOutcome,
  ModelRequest,
  Reply,
  ToolCall,
  ToolOutcome,
} from '../../src/loop/deps';
import { DEFAULT_GATES } from '../../src/loop/gates';
import { queryLoop } from '../../src/loop/query-loop';
import type { QueryParams } from '../../src/loop/query-params';
import type { State } from '../../src/loop/state';
import type { AbortReason, Terminal } from '../../src/loop/terminal';
import { NO_USAGE } from '../../src/loop/usage';

export function params(changes: Partial<QueryParams> = {}): QueryParams {
  return {
    messages: { leaf: null, pending: [{ type: 'message', messageId: 'prompt' }] },
    toolUseContext: {
      model: 'model',
      permissionMode: 'default',
      workingDirectory: '/workspace',
      queryTracking: { chainId: 'chain', depth: 0 },
    },
    maxTurns: null,
    maxOutputTokensOverride: null,
    maxToolConcurrency: 10,
    gates: DEFAULT_GATES,
    carry: null,
    ...changes,
  };
}

/** A State in which no field has the value that a query starts with. */
export function usedState(changes: Partial<State> = {}): State {
  return {
    messages: { leaf: 'old-leaf', pending: [{ type: 'message', messageId: 'old' }] },
    toolUseContext: {
      model: 'old-model',
      permissionMode: 'plan',
      workingDirectory: '/old',
      queryTracking: { chainId: 'old-chain', depth: 3 },
    },
    autoCompactTracking: {
      compacted: true,
      turnId: 'turn',
      turnCounter: 5,
      consecutiveFailures: 2,
    },
    maxOutputTokensRecoveryCount: 2,
    hasAttemptedReactiveCompact: true,
    maxOutputTokensOverride: 12_345,
    pendingToolUseSummary: 'old-summary',
    stopHookActive: true,
    turnCount: 7,
    transition: { reason: 'collapse_drain_retry', committed: 4 },
    ...changes,
  };
}

/** `record-<id>` holds the block of call `<id>`. */
export function call(id: string, changes: Partial<ToolUse> = {}): ToolUse {
  return {
    id,
    recordId: `record-${id}`,
    name: 'Bash',
    isConcurrencySafe: false,
    summary: '',
    ...changes,
  };
}

export const safeCall = (id: string): ToolUse =>
  call(id, { name: 'Read', isConcurrencySafe: true });

export function reply(changes: Partial<Reply> = {}): Reply {
  return {
    type: 'reply',
    requestLeaf: 'request-leaf',
    leaf: 'reply-leaf',
    stream: 'stream',
    toolUses: [],
    stopReason: 'end_turn',
    withheld: null,
    apiError: null,
    usage: NO_USAGE,
    model: 'model',
    apiMs: 0,
    ...changes,
  };
}

export const toolReply = (...toolUses: readonly ToolUse[]): Reply =>
  reply({ toolUses, stopReason: 'tool_use' });

export const truncated = (changes: Partial<Reply> = {}): Reply =>
  reply({ stopReason: 'max_tokens', withheld: 'output_limit', ...changes });

export const DONE: ToolOutcome = { type: 'done', isError: false };

/** Plays model replies in order; fails when asked for more. Leaves are numbered: request 1 ends at `leaf-1`. */
export interface ScriptedDeps extends LoopDeps {
  readonly requests: ModelRequest[];
  readonly toolCalls: ToolCall[];
  /** Not yet taken. */
  queued: string[];
  stop(by: AbortReason): void;
}

export type Step =
  ModelOutcome | ((deps: ScriptedDeps) => AsyncGenerator<ModelEvent, ModelOutcome>);

export function scriptedDeps(
  steps: readonly Step[],
  runTool: (call: ToolCall, deps: ScriptedDeps) => Promise<ToolOutcome> = () =>
    Promise.resolve(DONE),
): ScriptedDeps {
  let stoppedBy: AbortReason | null = null;
  const deps: ScriptedDeps = {
    requests: [],
    toolCalls: [],
    queued: [],
    async *callModel(request) {
      const step = steps[deps.requests.push(request) - 1];
      if (step === undefined) throw new Error(`No reply for request ${deps.requests.length}.`);
      return typeof step === 'function' ? yield* step(deps) : step;
    },
    runTool(toolCall) {
      deps.toolCalls.push(toolCall);
      return runTool(toolCall, deps);
    },
    takeQueued() {
      const taken = deps.queued;
      deps.queued = [];
      return taken.map((messageId) => ({ type: 'message', messageId, steering: true }));
    },
    abortReason: () => stoppedBy,
    stop: (by) => void (stoppedBy ??= by),
  };
  return deps;
}

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
