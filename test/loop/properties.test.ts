import fc from 'fast-check';
import type { ToolUse } from '../../src/loop/context';
import type { LoopEvent } from '../../src/loop/events';
import type { ModelOutcome, ToolOutcome } from '../../src/loop/outcomes';
import { MAX_OUTPUT_LIMIT_RECOVERIES } from '../../src/loop/decide';
import { DONE, params, reply, truncated } from './builders';
import { runLoop, type LoopRun } from './run-loop';
import { scriptedDeps, type Step } from './scripted-deps';

/** One reply of a made-up model. */
interface Turn {
  readonly ending: 'reply' | 'truncated' | 'interrupted' | 'api_error' | 'failed';
  readonly calls: readonly { readonly isSafe: boolean; readonly isEarly: boolean }[];
  /** Safe calls of a stream that is given up. */
  readonly voidCalls: number;
}

interface Script {
  readonly turns: readonly Turn[];
  readonly outcomes: readonly ToolOutcome[];
  readonly messagesWhileToolsRun: number;
  readonly maxToolConcurrency: number;
  readonly maxTurns: number | null;
  readonly cappedOutput: boolean;
  readonly streamingToolExecution: boolean;
  /** Number of the event at which somebody stops the query; null: nobody does. */
  readonly stopAt: number | null;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  ending: fc.oneof(
    { weight: 8, arbitrary: fc.constant('reply' as const) },
    { weight: 4, arbitrary: fc.constant('truncated' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('interrupted' as const, 'api_error' as const, 'failed' as const),
    },
  ),
  calls: fc.array(fc.record({ isSafe: fc.boolean(), isEarly: fc.boolean() }), { maxLength: 5 }),
  voidCalls: fc.nat(3),
});

const outcome: fc.Arbitrary<ToolOutcome> = fc.constantFrom<ToolOutcome>(
  DONE,
  { type: 'done', isError: true, denied: true },
  { type: 'done', isError: false, workingDirectory: '/moved' },
  { type: 'failed', message: 'boom' },
  { type: 'interrupted' },
);

const script: fc.Arbitrary<Script> = fc.record({
  turns: fc.array(turn, { maxLength: 12 }),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 8 }),
  messagesWhileToolsRun: fc.nat(3),
  maxToolConcurrency: fc.integer({ min: 1, max: 4 }),
  maxTurns: fc.option(fc.integer({ min: 1, max: 6 })),
  cappedOutput: fc.boolean(),
  streamingToolExecution: fc.boolean(),
  stopAt: fc.option(fc.nat(40)),
});

/** A run, and what the made-up model and tools saw of it. */
interface Played {
  readonly run: LoopRun;
  /** Calls of each request's outcome, in order. */
  readonly asked: readonly (readonly ToolUse[])[];
  /** What was to be chained after each request's outcome. */
  readonly brought: LoopRun['end']['messages']['pending'][];
  readonly started: readonly ToolUse[];
  /** The calls that ran whenever one began, itself among them. Void ones do not count. */
  readonly overlaps: readonly (readonly ToolUse[])[];
}

async function play(of: Script, order: fc.Scheduler): Promise<Played> {
  const asked: ToolUse[][] = [];
  const steps = of.turns.map(({ ending, calls, voidCalls }, index): Step => {
    const toolUses = calls.map(({ isSafe }, at) => numbered(`${index}-${at}`, isSafe));
    return async function* () {
      for (let at = 0; at < voidCalls; at += 1) {
        yield {
          type: 'tool_ready',
          stream: 'broken',
          toolUse: numbered(`void-${index}-${at}`, true),
        };
      }
      for (const [at, toolUse] of toolUses.entries()) {
        // As the host does: a call starts early only if nothing before it must run alone.
        if (!calls.slice(0, at + 1).every(({ isSafe }) => isSafe)) break;
        if (calls[at]?.isEarly === true) yield { type: 'tool_ready', stream: 'stream', toolUse };
      }
      const came = outcomeOf(ending, toolUses);
      asked.push('toolUses' in came ? [...came.toolUses] : []);
      return came;
    };
  });
  const lastWord: Step = async function* () {
    asked.push([]);
    yield { type: 'stream_event', event: 'bye' };
    return reply();
  };

  const running = new Set<ToolUse>();
  const overlaps: ToolUse[][] = [];
  let ran = 0;
  const deps = scriptedDeps([...steps, lastWord], async ({ toolUse }, at) => {
    const result = of.outcomes[ran++ % of.outcomes.length] ?? DONE;
    if (ran <= of.messagesWhileToolsRun) at.queued.push(`message-${ran}`);
    const isVoid = toolUse.id.startsWith('void');
    if (!isVoid) overlaps.push([...running.add(toolUse)]);
    await order.schedule(Promise.resolve(), toolUse.id);
    running.delete(toolUse);
    return result;
  });

  let told = 0;
  const stop = () => {
    if (told++ === of.stopAt) deps.stop('user');
  };
  const { maxToolConcurrency, maxTurns, cappedOutput, streamingToolExecution } = of;
  const gates = { cappedOutput, streamingToolExecution };
  const run = await order.waitFor(
    runLoop(params({ maxToolConcurrency, maxTurns, gates }), deps, stop),
  );
  const brought = [...deps.requests.slice(1), run.end].map(({ messages }) => messages.pending);
  return { run, asked, brought, started: deps.toolCalls.map(({ toolUse }) => toolUse), overlaps };
}

const numbered = (id: string, isConcurrencySafe: boolean): ToolUse => ({
  id,
  recordId: `record-${id}`,
  name: 'Tool',
  isConcurrencySafe,
  summary: '',
});

function outcomeOf(ending: Turn['ending'], toolUses: readonly ToolUse[]): ModelOutcome {
  switch (ending) {
    case 'reply':
      return reply({ toolUses });
    case 'truncated':
      return toolUses.length === 0 ? truncated() : reply({ toolUses, stopReason: 'max_tokens' });
    case 'interrupted':
      return {
        type: 'interrupted',
        messages: { leaf: 'part', pending: [] },
        stream: 'stream',
        toolUses,
      };
    case 'api_error':
      return reply({ stream: '', apiError: 'server_error' });
    case 'failed':
      return { type: 'failed', messages: { leaf: null, pending: [] }, message: 'boom' };
  }
}

/** Checks a claim on many random scripts, with the tools ending in random order. */
const always = (claim: (played: Played, of: Script) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(script, fc.scheduler(), async (of, order) => claim(await play(of, order), of)),
    { numRuns: 300 },
  );

test('every tool_use gets exactly one pending result, in the order of the request', () =>
  always(({ asked, brought }) => {
    expect(brought).toHaveLength(asked.length);
    for (const [index, pending] of brought.entries()) {
      const answered = pending.flatMap((item) =>
        item.type === 'tool_result' ? [item.toolUse] : [],
      );
      expect(answered).toEqual(asked[index]?.map(({ id, recordId }) => ({ id, recordId })));
    }
  }));

test('results are told once each, in the order in which they go to the model', () =>
  always(({ run, asked }) => {
    expect(resultsIn(run.events)).toEqual(asked.flat().map(({ id }) => id));
  }));

test('no call runs twice', () =>
  always(({ started }) => {
    expect(new Set(started).size).toBe(started.length);
  }));

test('a call that may not overlap runs alone, and no more run at a time than allowed', () =>
  always(({ overlaps }, { maxToolConcurrency }) => {
    for (const together of overlaps) {
      expect(together.length).toBeLessThanOrEqual(maxToolConcurrency);
      expect(together.length === 1 || together.every((one) => one.isConcurrencySafe)).toBe(true);
    }
  }));

test('no ladder exceeds its bound between two turns', () =>
  always(({ run }) => {
    const rungs = { max_output_tokens_escalate: 0, max_output_tokens_recovery: 0 };
    for (const { transition } of run.states) {
      const reason = transition?.reason ?? 'none';
      if (reason === 'next_turn') Object.assign(rungs, zero(rungs));
      else if (reason in rungs) rungs[reason as keyof typeof rungs] += 1;
      expect(rungs.max_output_tokens_escalate).toBeLessThanOrEqual(1);
      expect(rungs.max_output_tokens_recovery).toBeLessThanOrEqual(MAX_OUTPUT_LIMIT_RECOVERIES);
    }
  }));

test('the end is told once and last, and it is what the loop returns', () =>
  always(({ run }) => {
    expect(run.events.filter(({ type }) => type === 'end')).toEqual([run.end]);
    expect(run.end.terminal).toEqual(run.terminal);
  }));

test('no message is lost or taken twice: it is told, and it goes into the next request', () =>
  always(({ run, brought }) => {
    const told = run.events.flatMap((event) =>
      event.type === 'attachment' && event.attachment.type === 'queued_message'
        ? [event.attachment.messageId]
        : [],
    );
    const sent = brought
      .flat()
      .flatMap((item) => (item.type === 'message' ? [item.messageId] : []));
    expect(sent).toEqual(told);
    expect(new Set(sent).size).toBe(sent.length);
  }));

test('after a stop at most the request that was under way is made', () =>
  always(({ run }, { stopAt }) => {
    if (stopAt === null || stopAt >= run.events.length) return;
    const later = run.events.slice(stopAt + 1);
    expect(later.filter(({ type }) => type === 'stream_request_start').length).toBeLessThanOrEqual(
      1,
    );
  }));

function resultsIn(events: readonly LoopEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.toolUse.id] : []));
}

const zero = <T extends object>(counts: T): T =>
  Object.fromEntries(Object.keys(counts).map((key) => [key, 0])) as T;
