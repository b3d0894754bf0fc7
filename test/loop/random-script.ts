import fc from 'fast-check';
import type { CompactOutcome } from '../../src/loop/compaction';
import type { ToolUse } from '../../src/loop/context';
import type { ModelEvent } from '../../src/loop/deps';
import type { Gates } from '../../src/loop/gates';
import type { ModelOutcome, Reply, ToolOutcome } from '../../src/loop/outcomes';
import type { StopVerdict } from '../../src/loop/stop-hooks';
import {
  COMPACT_FAILED,
  COMPACT_STOPPED,
  compacted,
  DONE,
  FULL,
  gates,
  params,
  REFUSED,
  reply,
  tooBigMedia,
  tooLong,
  truncated,
  usageOf,
} from './builders';
import { runLoop, type LoopRun } from './run-loop';
import { scriptedDeps, type ScriptedDeps, type Step } from './scripted-deps';

const ENDINGS = {
  reply: 8,
  truncated: 4,
  tooLong: 4,
  tooBigMedia: 1,
  full: 4,
  interrupted: 1,
  apiError: 1,
  failed: 1,
};

/** One reply of a made-up model. */
interface Turn {
  readonly ending: keyof typeof ENDINGS;
  readonly calls: readonly { readonly isSafe: boolean; readonly isEarly: boolean }[];
  /** Safe calls of a stream that is given up. */
  readonly voidCalls: number;
  readonly hasStopHooks: boolean;
  readonly outputTokens: number;
  readonly model: string;
}

export interface Script {
  readonly turns: readonly Turn[];
  /** Played round and round. */
  readonly outcomes: readonly ToolOutcome[];
  readonly compactions: readonly CompactOutcome[];
  readonly committed: readonly number[];
  readonly verdicts: readonly StopVerdict[];
  readonly messagesWhileToolsRun: number;
  readonly maxToolConcurrency: number;
  readonly maxTurns: number | null;
  readonly tokenBudget: number | null;
  readonly taskBudget: number | null;
  readonly gates: Partial<Gates>;
  /** Number of the event at which somebody stops the query; null: nobody does. */
  readonly stopAt: number | null;
}

const ending = fc.oneof(
  ...Object.entries(ENDINGS).map(([name, weight]) => ({
    weight,
    arbitrary: fc.constant(name as Turn['ending']),
  })),
);

const turn: fc.Arbitrary<Turn> = fc.record({
  ending,
  calls: fc.oneof(
    fc.constant([]),
    fc.array(fc.record({ isSafe: fc.boolean(), isEarly: fc.boolean() }), { maxLength: 5 }),
  ),
  voidCalls: fc.nat(3),
  hasStopHooks: fc.boolean(),
  outputTokens: fc.nat(800),
  model: fc.constantFrom('model', 'model', 'fallback'),
});

const outcome = fc.constantFrom<ToolOutcome[]>(
  DONE,
  DONE,
  { type: 'done', isError: true, denied: true },
  { type: 'done', isError: false, workingDirectory: '/moved' },
  { type: 'done', isError: false, hookStopped: true },
  { type: 'failed', message: 'boom' },
  { type: 'interrupted' },
);

const compaction = fc.constantFrom<CompactOutcome[]>(
  compacted('summary', { contextTokens: 1_000 }),
  compacted('shorter', { contextTokens: 70_000 }),
  REFUSED,
  COMPACT_FAILED,
  COMPACT_STOPPED,
);

const verdict = fc.constantFrom<StopVerdict[]>(
  { type: 'passed' },
  { type: 'blocked', leaf: 'feedback' },
  { type: 'blocked', leaf: 'feedback' },
  { type: 'prevented', leaf: 'why' },
);

const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 8 });

export const script: fc.Arbitrary<Script> = fc.record({
  turns: fc.array(turn, { maxLength: 30 }),
  outcomes: some(outcome),
  compactions: some(compaction),
  committed: some(fc.nat(2)),
  verdicts: some(verdict),
  messagesWhileToolsRun: fc.nat(3),
  maxToolConcurrency: fc.integer({ min: 1, max: 4 }),
  maxTurns: fc.option(fc.integer({ min: 1, max: 6 })),
  tokenBudget: fc.option(fc.nat(5_000)),
  taskBudget: fc.option(fc.nat(100_000)),
  gates: fc.record({
    cappedOutput: fc.boolean(),
    streamingToolExecution: fc.boolean(),
    contextCollapse: fc.boolean(),
    reactiveCompact: fc.boolean(),
    compactAfterOutputLimit: fc.boolean(),
    tokenBudget: fc.boolean(),
    toolUseSummaries: fc.boolean(),
    siblingAbort: fc.boolean(),
  }),
  stopAt: fc.option(fc.nat(60)),
});

/** A run, and what the made-up model and tools saw of it. */
export interface Played {
  readonly run: LoopRun;
  readonly deps: ScriptedDeps;
  /** Calls of each request's outcome, in order. */
  readonly asked: readonly (readonly ToolUse[])[];
  /** The calls that ran whenever one began, itself among them. Void ones do not count. */
  readonly overlaps: readonly (readonly ToolUse[])[];
}

/** Decides which of the running tools ends next. */
export type Order = Pick<fc.Scheduler, 'schedule' | 'waitFor'>;

/** Plays a script with the tools ending in the order of `order`. The model, the hooks and the tools go on for ever;
 *  it is the loop that has to end. */
export async function play(of: Script, order: Order): Promise<Played> {
  const asked: ToolUse[][] = [];
  const running = new Set<ToolUse>();
  const overlaps: ToolUse[][] = [];
  let ran = 0;
  const steps = endless((index) => stepOf(of.turns[index] ?? GOODBYE, index, asked));
  const deps = scriptedDeps(steps, {
    compactions: endless((index) => cycle(of.compactions, index)),
    drains: endless((index) => ({ leaf: 'drained', committed: cycle(of.committed, index) })),
    verdicts: endless((index) => (at) => {
      const came = cycle(of.verdicts, index);
      // As the host does: once no block is heard any more, a hook has no way but to let it pass.
      return at.positions.at(-1)?.mayBlock === false ? { type: 'passed' } : came;
    }),
    labels: { 'label-1': 'Did it' },
    async runTool({ toolUse }, at) {
      const result = cycle(of.outcomes, ran++);
      if (ran <= of.messagesWhileToolsRun) at.queued.push(`message-${ran}`);
      if (!toolUse.id.startsWith('void')) overlaps.push([...running.add(toolUse)]);
      await order.schedule(Promise.resolve(), toolUse.id);
      running.delete(toolUse);
      return result;
    },
  });
  let told = 0;
  const stop = () => {
    if (told++ === of.stopAt) deps.stop('user');
  };
  const { maxToolConcurrency, maxTurns, tokenBudget, taskBudget } = of;
  const limits = { maxToolConcurrency, maxTurns, tokenBudget, taskBudget };
  const run = await order.waitFor(
    runLoop(params({ ...limits, gates: gates(of.gates) }), deps, stop),
  );
  return { run, deps, asked, overlaps };
}

const GOODBYE: Turn = {
  ending: 'reply',
  calls: [],
  voidCalls: 0,
  hasStopHooks: false,
  outputTokens: 100,
  model: 'model',
};

function stepOf(of: Turn, index: number, asked: ToolUse[][]): Step {
  const toolUses = of.calls.map(({ isSafe }, at) => numbered(`${index}-${at}`, isSafe));
  return async function* () {
    // Nothing streams from a request that was not sent, or was refused.
    const hasStream = !['full', 'tooLong', 'tooBigMedia'].includes(of.ending);
    if (hasStream) yield* earlyCalls();
    const came = outcomeOf(of, toolUses);
    asked.push('toolUses' in came ? [...came.toolUses] : []);
    return came;
  };

  function* earlyCalls(): Generator<ModelEvent> {
    for (let at = 0; at < of.voidCalls; at += 1) {
      const toolUse = numbered(`void-${index}-${at}`, true);
      yield { type: 'tool_ready', stream: 'broken', toolUse };
    }
    for (const [at, toolUse] of toolUses.entries()) {
      // As the host does: a call starts early only if nothing before it must run alone.
      if (!of.calls.slice(0, at + 1).every(({ isSafe }) => isSafe)) break;
      if (of.calls[at]?.isEarly === true) {
        yield { type: 'tool_ready', stream: 'stream', toolUse };
      }
    }
  }
}

const numbered = (id: string, isConcurrencySafe: boolean): ToolUse => ({
  id,
  recordId: `record-${id}`,
  name: 'Bash',
  isConcurrencySafe,
  summary: '',
});

function outcomeOf(of: Turn, toolUses: readonly ToolUse[]): ModelOutcome {
  const { hasStopHooks, model, outputTokens } = of;
  const usual: Partial<Reply> = {
    hasStopHooks,
    model,
    usage: usageOf({ output_tokens: outputTokens }),
  };
  switch (of.ending) {
    case 'reply':
      return reply({ ...usual, toolUses });
    case 'truncated':
      return toolUses.length === 0
        ? truncated(usual)
        : reply({ ...usual, toolUses, stopReason: 'max_tokens' });
    case 'tooLong':
      return tooLong({ hasStopHooks });
    case 'tooBigMedia':
      return { ...tooBigMedia(), hasStopHooks };
    case 'full':
      return FULL;
    case 'interrupted':
      return {
        type: 'interrupted',
        messages: { leaf: 'part', pending: [] },
        stream: 'stream',
        toolUses,
      };
    case 'apiError':
      return reply({ hasStopHooks, stream: '', apiError: 'server_error' });
    case 'failed':
      return { type: 'failed', messages: { leaf: null, pending: [] }, message: 'boom' };
  }
}

const cycle = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('Nothing to choose from.');
  return item;
};

/** Longer than any run of these scripts may be. */
const endless = <T>(make: (index: number) => T): readonly T[] =>
  Array.from({ length: 500 }, (_, index) => make(index));
