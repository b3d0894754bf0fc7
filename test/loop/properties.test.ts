import fc from 'fast-check';
import type { LoopEvent } from '../../src/loop/events';
import { MAX_OUTPUT_LIMIT_RECOVERIES } from '../../src/loop/output-limit';
import type { Transition } from '../../src/loop/state';
import { MAX_STOP_HOOK_BLOCKS } from '../../src/loop/stop-hooks';
import { play, script, type Order, type Played, type Script } from './random-script';

/** Checks a claim on many random scripts, with the tools ending in random order. */
const always = (claim: (played: Played, of: Script) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(script, fc.scheduler(), async (of, order) => claim(await play(of, order), of)),
    { numRuns: 500 },
  );

test('every tool_use gets exactly one pending result, in the order of the request', () =>
  always(({ run, deps, asked }) => {
    const sent = [...deps.requests.slice(1), run.end].map(({ messages }) => messages.pending);
    expect(sent).toHaveLength(asked.length);
    for (const [index, pending] of sent.entries()) {
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
  always(({ deps }) => {
    const started = deps.toolCalls.map(({ toolUse }) => toolUse);
    expect(new Set(started).size).toBe(started.length);
  }));

test('a call that may not overlap runs alone, and no more run at a time than allowed', () =>
  always(({ overlaps }, { maxToolConcurrency }) => {
    for (const together of overlaps) {
      expect(together.length).toBeLessThanOrEqual(maxToolConcurrency);
      expect(together.length === 1 || together.every((one) => one.isConcurrencySafe)).toBe(true);
    }
  }));

test('the conversation is compacted reactively at most once until a turn or a continuation', () =>
  always(({ run }) => {
    let compactions = 0;
    for (const reason of reasonsIn(run.events)) {
      if (reason === 'next_turn' || reason === 'token_budget_continuation') compactions = 0;
      if (reason === 'reactive_compact_retry') compactions += 1;
      expect(compactions).toBeLessThanOrEqual(1);
    }
  }));

test('no ladder exceeds its bound until a turn, a continuation or a block starts it again', () =>
  always(({ run }) => {
    const starts = ['next_turn', 'token_budget_continuation', 'stop_hook_blocking'];
    let nudges = 0;
    let before = 'none';
    for (const reason of reasonsIn(run.events)) {
      if (starts.includes(reason)) nudges = 0;
      if (reason === 'max_output_tokens_recovery') nudges += 1;
      expect(nudges).toBeLessThanOrEqual(MAX_OUTPUT_LIMIT_RECOVERIES);
      // A rung is never tried twice in a row; what staged the collapse is gone after a summary.
      if (reason === 'collapse_drain_retry') {
        expect(before).not.toMatch(/collapse_drain_retry|reactive_compact_retry/);
      }
      if (reason === 'max_output_tokens_escalate') expect(nudges).toBe(0);
      before = reason;
    }
  }));

test('Stop hooks are told to stop blocking after eight blocks without a tool round', () =>
  always(({ run }) => {
    let blocks = 0;
    for (const reason of reasonsIn(run.events)) {
      if (reason === 'next_turn') blocks = 0;
      if (reason === 'stop_hook_blocking') blocks += 1;
      expect(blocks).toBeLessThanOrEqual(MAX_STOP_HOOK_BLOCKS);
    }
  }));

test('three summaries that fail in a row are the last that are tried before a request', () =>
  always(({ run }) => {
    let failures = 0;
    for (const event of run.events) {
      if (event.type === 'transition' && event.state.autoCompactTracking === null) failures = 0;
      if (event.type !== 'compaction' || event.trigger !== 'auto') continue;
      const { type } = event.outcome;
      failures = type === 'compacted' ? 0 : failures + 1;
      expect(failures).toBeLessThanOrEqual(3);
    }
  }));

test('what is left of the task budget never grows', () =>
  always(({ deps }, { taskBudget }) => {
    let before = taskBudget ?? 0;
    for (const { taskBudget: told } of deps.requests) {
      const left = told?.remaining ?? before;
      expect(left).toBeLessThanOrEqual(before);
      expect(told?.total ?? null).toBe(taskBudget);
      before = left;
    }
  }));

test('the end is told once and last, and it is what the loop returns', () =>
  always(({ run }) => {
    expect(run.events.filter(({ type }) => type === 'end')).toEqual([run.end]);
    expect(run.end.terminal).toEqual(run.terminal);
  }));

test('no message is lost or taken twice: it is told, and it goes into what comes next', () =>
  always(({ run, deps }) => {
    const told = run.events.flatMap((event) =>
      event.type === 'attachment' && event.attachment.type === 'queued_message'
        ? [event.attachment.messageId]
        : [],
    );
    const sent = [...deps.requests.slice(1), run.end].flatMap(({ messages }) =>
      messages.pending.flatMap((item) => (item.type === 'message' ? [item.messageId] : [])),
    );
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

test('the same script gives the same requests and States again', () =>
  fc.assert(
    fc.asyncProperty(script, fc.array(fc.nat(20), { minLength: 1 }), async (of, ticks) => {
      const once = await play(of, slowly(ticks));
      const again = await play(of, slowly(ticks));

      expect(again.run).toEqual(once.run);
      expect(again.deps.requests).toEqual(once.deps.requests);
    }),
    { numRuns: 200 },
  ));

/** Tools that take so many ticks, one number a call, round and round. */
function slowly(ticks: readonly number[]): Order {
  let scheduled = 0;
  return {
    async schedule(task) {
      const count = ticks[scheduled++ % ticks.length] ?? 0;
      for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
      return task;
    },
    waitFor: (run) => run,
  };
}

function reasonsIn(events: readonly LoopEvent[]): readonly Transition['reason'][] {
  return events.flatMap((event) =>
    event.type === 'transition' && event.state.transition !== null
      ? [event.state.transition.reason]
      : [],
  );
}

function resultsIn(events: readonly LoopEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.toolUse.id] : []));
}
