import { EMPTY_COLLAPSE_LOG } from '../../../src/loop/prepare/context-collapse';
import { toContextLimits } from '../../../src/loop/prepare/context-limits';
import {
  DEFAULT_PREPARE_GATES,
  prepare,
  type PrepareGates,
  type PrepareInput,
} from '../../../src/loop/prepare/prepare';
import { textsOf } from '../../../src/loop/prepare/tool-results';
import {
  answer,
  call,
  chars,
  contents,
  conversation,
  counted,
  NOTHING_DECIDED,
  result,
  rounds,
  said,
  uuids,
} from './builders';

const LIMITS = toContextLimits({
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  percentOverride: null,
  autoCompactWindow: null,
});

const input = (
  messages: PrepareInput['messages'],
  gates: Partial<PrepareGates> = {},
  changes: Partial<PrepareInput> = {},
): PrepareInput => ({
  messages,
  gates: { ...DEFAULT_PREPARE_GATES, ...gates },
  limits: LIMITS,
  decisions: NOTHING_DECIDED,
  snips: [],
  collapseLog: EMPTY_COLLAPSE_LOG,
  nowMs: 0,
  placeFor: (id) => `/results/${id}`,
  mayCompact: true,
  skipBlockingCheck: false,
  assembleSystem: () => undefined,
  ...changes,
});

const holding = (tokens: number) => conversation(said('go'), answer('x', 'a', counted(tokens)));
const verdict = (
  tokens: number,
  gates: Partial<PrepareGates> = {},
  changes: Partial<PrepareInput> = {},
) => prepare(input(holding(tokens), gates, changes)).verdict;

describe('verdict', () => {
  test('166,999 tokens are sent, 167,000 are compacted', () => {
    expect(verdict(166_999)).toBe('send');
    expect(verdict(167_000)).toBe('compact');
  });

  test('with autocompact off, 176,999 tokens are sent and 177,000 are blocked', () => {
    expect(verdict(176_999, { autocompact: false })).toBe('send');
    expect(verdict(177_000, { autocompact: false })).toBe('blocked');
  });

  test('when no compaction may be made, recovery needs the real error; without recovery it is blocked', () => {
    expect(verdict(190_000, {}, { mayCompact: false })).toBe('send');
    expect(verdict(190_000, { reactiveCompact: false }, { mayCompact: false })).toBe('blocked');
    expect(
      verdict(190_000, { reactiveCompact: false }, { mayCompact: false, skipBlockingCheck: true }),
    ).toBe('send');
  });

  test('collapse owns the headroom: nothing is compacted, and nothing is blocked unless autocompact is off', () => {
    expect(verdict(190_000, { contextCollapse: true, reactiveCompact: false })).toBe('send');
    expect(verdict(190_000, { contextCollapse: true, autocompact: false })).toBe('blocked');
  });

  test.each([
    [146_999, null],
    [147_000, 'error'],
  ])('%d tokens warn: %s', (tokens, warning) => {
    expect(prepare(input(holding(tokens))).warning).toBe(warning);
  });

  test('marks that differ warn in two steps', () => {
    const limits = { ...LIMITS, errorAt: 150_000 };

    expect(prepare(input(holding(147_000), {}, { limits })).warning).toBe('warning');
  });
});

describe('order', () => {
  const ALL = { snip: true, contextCollapse: true, reactiveCompact: false };

  test('every step runs in its place, the system prompt before the decision', () => {
    const seen: string[] = [];
    const all = input(holding(5), ALL, { assembleSystem: () => seen.push('assembled') });

    expect(prepare(all).stages).toEqual([
      'tool_result_budget',
      'snip',
      'microcompact_by_time',
      'microcompact_by_size',
      'context_collapse',
      'system_prompt',
    ]);
    expect(seen).toEqual(['assembled']);
  });

  test.each([
    ['the defaults', {}, {}, 'autocompact'],
    ['no autocompact', { autocompact: false }, {}, 'blocking_check'],
    ['an open breaker', { reactiveCompact: false }, { mayCompact: false }, 'blocking_check'],
    ['a compaction just made', {}, { mayCompact: false, skipBlockingCheck: true }, 'system_prompt'],
  ])('%s: the last step is %s', (_, gates, changes, last) => {
    expect(prepare(input(holding(5), gates, changes)).stages.at(-1)).toBe(last);
  });

  test('with every gate off only the prompt is assembled and the limit checked', () => {
    const off = Object.fromEntries(Object.keys(DEFAULT_PREPARE_GATES).map((gate) => [gate, false]));
    const messages = conversation(said('go'), rounds(9, chars(90_000)));

    const prepared = prepare(input(messages, off, { nowMs: 9e9 }));

    expect(prepared.stages).toEqual(['system_prompt', 'blocking_check']);
    expect(prepared.messages).toBe(messages);
  });
});

describe('what a step frees', () => {
  const old = (tokens: number) =>
    conversation(said('go'), rounds(30, chars(16_000)), answer('x', 'last', counted(tokens)));

  test('a snip makes a compaction unnecessary', () => {
    const prepared = prepare(input(old(167_000), { snip: true }));

    expect(prepared.verdict).toBe('send');
    expect(prepared.snip?.removed).not.toEqual([]);
    expect(prepared.tokensFreed).toBe(prepared.snip?.tokensFreed);
    expect(prepared.tokens).toBe(167_000 - prepared.tokensFreed);
  });

  test('a snip makes room down to 60 % of the mark, and no round goes beyond', () => {
    const { tokens, snip } = prepare(input(old(167_000), { snip: true }));
    const tokensOfOne = 4_002;

    expect(snip?.removed.length).toBeLessThan(2 * 20);
    expect(tokens).toBeLessThan(100_200 + tokensOfOne / 10);
    expect(tokens).toBeGreaterThan(100_200 - tokensOfOne);
  });

  test('a snip happens at 85 % of the mark', () => {
    expect(prepare(input(old(141_949), { snip: true })).snip).toBeNull();
    expect(prepare(input(old(141_950), { snip: true })).snip).not.toBeNull();
  });

  test('where nothing can be snipped the compaction comes', () => {
    expect(prepare(input(holding(167_000), { snip: true }))).toMatchObject({
      verdict: 'compact',
      snip: null,
    });
  });

  test('a recorded snip is applied though the gate is off, and still freed until a reply counts it', () => {
    const made = prepare(input(old(167_000), { snip: true }));

    const again = prepare(input(old(167_000), {}, { snips: [made.snip!] }));

    expect(again.messages).toEqual(made.messages);
    expect(again).toMatchObject({ tokens: made.tokens, verdict: 'send', snip: null });
  });

  test('results that are cleared count less', () => {
    const prepared = prepare(input(old(167_000), {}, { nowMs: 3_600_000 }));

    expect(prepared.verdict).toBe('send');
    expect(prepared.fresh).toHaveLength(25);
    const left = prepared.fresh.reduce((sum, { text }) => sum + text.length / 4, 0);
    expect(prepared.tokensFreed).toBe(25 * 4_000 - Math.floor(left));
  });

  test('results behind the last reply are estimated as they are sent', () => {
    const ids = ['a', 'b', 'c'];
    const messages = conversation(
      ids.map((id) => call(id, 'Bash', {}, 'r', counted(1_000))),
      ids.map((id) => result(id, chars(90_000))),
    );

    const prepared = prepare(input(messages));

    expect(prepared.fresh.map(({ toolUseId }) => toolUseId)).toEqual(['a']);
    expect(prepared.tokensFreed).toBe(0);
    expect(prepared.tokens).toBeLessThan(1_000 + 61_000);
  });

  test('a result that is replaced and then cleared is recorded once, as cleared', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const messages = conversation(
      ids.map((id) => call(id, 'Bash', {}, 'r')),
      ids.map((id) => result(id, chars(id === 'a' ? 120_000 : 20_000))),
    );

    const { fresh } = prepare(input(messages, {}, { nowMs: 3_600_000 }));

    expect(fresh).toEqual([
      { toolUseId: 'a', text: expect.stringContaining('cleared') as unknown, original: null },
    ]);
  });

  test('what was decided is applied though the gates are off', () => {
    const messages = old(10);
    const first = prepare(input(messages, {}, { nowMs: 3_600_000 }));
    const decisions = { replacements: textsOf(first.fresh), seen: () => true };

    const next = prepare(
      input(messages, { toolResultBudget: false, microcompactByTime: false }, { decisions }),
    );

    expect(next.messages).toEqual(first.messages);
    expect(next.fresh).toEqual([]);
  });
});

describe('collapse', () => {
  const full = conversation(
    said('go'),
    rounds(40, chars(16_000)),
    answer('x', 'last', counted(170_000)),
  );
  const on = { contextCollapse: true };

  test('it brings the view down, and its log makes the same view again', () => {
    const first = prepare(input(full, on));
    const { collapseLog } = first;

    const next = prepare(input(full, on, { collapseLog }));

    expect(first.tokens).toBeLessThan(126_000);
    expect(next).toEqual({ ...first, collapseLog });
    expect(next.collapseLog).toBe(collapseLog);
  });

  test('a view that was sent stays when the gate goes off', () => {
    const first = prepare(input(full, on));

    const next = prepare(input(full, {}, { collapseLog: first.collapseLog }));

    expect(next.messages).toEqual(first.messages);
    expect(next.tokens).toBe(first.tokens);
  });

  test('what is collapsed is not snipped', () => {
    const { collapseLog } = prepare(input(full, on));
    const both = prepare(
      input(
        full,
        { ...on, snip: true },
        { collapseLog, limits: { ...LIMITS, autoCompactAt: 90_000 } },
      ),
    );

    expect(both.messages).toEqual(
      expect.arrayContaining([expect.objectContaining({ uuid: 'collapse-m1' })]),
    );
    expect(both.snip?.removed).not.toContain('m1');
  });
});

test('2,000 messages and 6 MB are prepared in a moment', () => {
  const messages = conversation(said('go'), rounds(1_000, chars(6_000)));

  const startedAt = performance.now();
  const prepared = prepare(input(messages, { snip: true, contextCollapse: true }));

  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(uuids(prepared.messages)[0]).toBe('m0');
  expect(Object.keys(contents(prepared.messages)).length).toBeLessThan(1_000);
});
