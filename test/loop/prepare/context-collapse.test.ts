import { collapse, stage } from '../../../src/loop/prepare/collapse-staging';
import {
  collapsedUuids,
  commit,
  drain,
  EMPTY_COLLAPSE_LOG,
  project,
  type CollapsedSpan,
} from '../../../src/loop/prepare/context-collapse';
import { toContextLimits } from '../../../src/loop/prepare/context-limits';
import { barelyTokens, estimateTextTokens } from '../../../src/loop/prepare/estimate-tokens';
import {
  answer,
  call,
  chars,
  conversation,
  counted,
  result,
  round,
  rounds,
  said,
  textOf,
  uuids,
} from './builders';

const span = (from: number, to: number, tokensFreed = 10): CollapsedSpan => ({
  fromUuid: `m${from}`,
  toUuid: `m${to}`,
  summary: `m${from} to m${to}`,
  tokensFreed,
});
const made = (...spans: CollapsedSpan[]) => ({
  staged: [],
  committed: spans.map((one) => ({ ...one, madeAfter: 'm9' })),
});
const spansOf = (spans: readonly CollapsedSpan[]) =>
  spans.map(({ fromUuid, toUuid }) => [fromUuid, toUuid]);

describe('the view', () => {
  const messages = conversation(said('go'), rounds(4, 'x'), answer('done'));

  test('a committed span is replaced by its summary, the rest are the same objects', () => {
    const view = project(messages, made(span(3, 6)));

    expect(uuids(view)).toEqual(['m0', 'm1', 'm2', 'collapse-m3', 'm7', 'm8', 'm9']);
    expect(textOf(view[3])).toBe('m3 to m6');
    expect(view[3]?.role).toBe('user');
    expect(view[4]).toBe(messages[7]);
  });

  test('the order of the log does not matter', () => {
    expect(project(messages, made(span(5, 6), span(1, 2)))).toEqual(
      project(messages, made(span(1, 2), span(5, 6))),
    );
  });

  test('a span of another branch does not bring the others out of order', () => {
    const view = project(messages, made(span(7, 8), span(99, 2), span(1, 2), span(5, 6)));

    expect(uuids(view)).toEqual([
      'm0',
      'collapse-m1',
      'm3',
      'm4',
      'collapse-m5',
      'collapse-m7',
      'm9',
    ]);
  });

  test.each([
    ['that is only staged', { staged: [span(1, 2)], committed: [] }],
    ['whose end is on another branch', made(span(1, 99))],
    ['whose beginning was compacted', made(span(99, 2))],
    ['that ends before it begins', made(span(4, 1))],
    ['that ends right before it begins', made(span(4, 3))],
  ])('a span %s does nothing', (_, log) => {
    expect(project(messages, log)).toBe(messages);
  });

  test('of two spans that overlap the first counts', () => {
    expect(uuids(project(messages, made(span(1, 4), span(3, 6)))).slice(0, 3)).toEqual([
      'm0',
      'collapse-m1',
      'm5',
    ]);
  });

  test('a span that is passed over takes no room from the next one', () => {
    const view = project(messages, made(span(1, 4), span(3, 6), span(5, 8)));

    expect(uuids(view)).toEqual(['m0', 'collapse-m1', 'collapse-m5', 'm9']);
  });

  test('messages of both kinds of span are known', () => {
    const log = { ...made(span(1, 2)), staged: [span(3, 4)] };

    expect([...collapsedUuids(messages, log)]).toEqual(['m1', 'm2', 'm3', 'm4']);
  });
});

describe('the log', () => {
  const messages = conversation(said('go'));
  const log = { staged: [span(1, 2, 10), span(3, 4, 10), span(5, 6, 10)], committed: [] };

  test('spans are committed oldest first, until enough is freed', () => {
    const committed = commit(messages, log, 11);

    expect(committed.committed).toBe(2);
    expect(spansOf(committed.log.committed)).toEqual(spansOf([span(1, 2), span(3, 4)]));
    expect(committed.log.committed[0]?.madeAfter).toBe('m0');
    expect(committed.log.staged).toEqual([span(5, 6, 10)]);
  });

  test('a span that frees just enough is the last that is committed', () => {
    expect(commit(messages, log, 10).committed).toBe(1);
    expect(commit(messages, log, 20).committed).toBe(2);
  });

  test('drain commits everything staged', () => {
    const drained = drain(messages, log);

    expect(drained.committed).toBe(3);
    expect(drained.log.staged).toEqual([]);
    expect(drain([], drained.log)).toEqual({ committed: 0, log: drained.log });
    expect(drain([], drained.log).log).toBe(drained.log);
  });

  test('what is committed before there is a message was made after none', () => {
    const { committed, log: after } = drain([], log);

    expect(committed).toBe(3);
    expect(after.committed.map(({ madeAfter }) => madeAfter)).toEqual(['', '', '']);
  });
});

describe('staging', () => {
  test('old rounds are staged eight at a time, the ten newest never', () => {
    const messages = conversation(said('go'), rounds(27, chars(4_000)));

    const log = stage(messages, EMPTY_COLLAPSE_LOG);

    expect(spansOf(log.staged)).toEqual([
      ['m1', 'm16'],
      ['m17', 'm32'],
    ]);
  });

  test('what is staged is not staged again, and goes on where it ended', () => {
    const short = conversation(said('go'), rounds(18, chars(4_000)));
    const long = conversation(said('go'), rounds(26, chars(4_000)));
    const log = stage(short, EMPTY_COLLAPSE_LOG);

    expect(stage(short, log)).toBe(log);
    expect(spansOf(stage(long, log).staged)).toEqual([
      ['m1', 'm16'],
      ['m17', 'm32'],
    ]);
  });

  test('a span ends where somebody spoke; what was said and answered stays out of it', () => {
    const messages = conversation(
      said('go'),
      rounds(2, chars(4_000), 'a'),
      answer('Done.'),
      said('Again.'),
      rounds(3, chars(4_000), 'b'),
      said('Mind the gap.'),
      rounds(10, 'x'),
    );

    expect(spansOf(stage(messages, EMPTY_COLLAPSE_LOG).staged)).toEqual([
      ['m1', 'm4'],
      ['m7', 'm12'],
    ]);
  });

  test('a span that is no longer than its summary is not worth it', () => {
    const messages = conversation(said('go'), rounds(18, 'x'));

    expect(stage(messages, EMPTY_COLLAPSE_LOG)).toBe(EMPTY_COLLAPSE_LOG);
  });

  test('a span that is just as long as its summary is not worth it', () => {
    const withResult = (tokens: number) =>
      conversation(said('go'), round('a', chars(4 * tokens)), said('Go on.'), rounds(10, 'x'));
    const [long] = stage(withResult(1_000), EMPTY_COLLAPSE_LOG).staged;
    const tokensOfSummary = estimateTextTokens(long?.summary ?? '');
    const tokensOfCall = barelyTokens(withResult(0).slice(1, 2));

    const equal = withResult(tokensOfSummary - tokensOfCall);
    const longer = withResult(tokensOfSummary - tokensOfCall + 1);

    expect(stage(equal, EMPTY_COLLAPSE_LOG)).toBe(EMPTY_COLLAPSE_LOG);
    expect(stage(longer, EMPTY_COLLAPSE_LOG).staged).toHaveLength(1);
  });

  test('the first user message stays even if it is a result', () => {
    const messages = conversation(rounds(19, chars(4_000)));

    expect(spansOf(stage(messages, EMPTY_COLLAPSE_LOG).staged)).toEqual([['m2', 'm17']]);
  });

  test('a round of which a part is collapsed is not collapsed again', () => {
    const messages = conversation(said('go'), rounds(12, chars(4_000)));
    const log = { staged: [span(3, 3)], committed: [] };

    expect(spansOf(stage(messages, log).staged)).toEqual([
      ['m3', 'm3'],
      ['m1', 'm2'],
    ]);
  });

  test('a summary names calls, what they worked on, failures and first words', () => {
    const reply = 'one';
    const messages = conversation(
      said('go'),
      answer(`\n Looking   around\nfirst. ${chars(900)}`, reply),
      answer(chars(160), reply),
      call('a', 'Read', { limit: 5, file_path: 'src/a.ts' }, reply),
      call('b', 'Bash', { timeout: 5 }, reply),
      call('c', 'Odd', null, reply),
      call('d', 'Odder', 'no object', reply),
      result('a', chars(9_000)),
      result('b', 'boom', true),
      result('c', 'x'),
      result('d', 'x'),
      said('Go on.'),
      rounds(10, 'x'),
    );

    const [staged] = stage(messages, EMPTY_COLLAPSE_LOG).staged;

    expect(staged?.summary.split('\n')).toEqual([
      expect.stringContaining('Earlier work'),
      `- said: Looking around first. ${chars(160 - 'Looking around first. '.length)}…`,
      `- said: ${chars(160)}`,
      '- Read src/a.ts',
      '- Bash (failed)',
      '- Odd',
      '- Odder]',
    ]);
  });

  test.each([
    [40, 41, '- Bash]'],
    [41, 42, '… and 1 more]'],
    [45, 42, '… and 5 more]'],
  ])('of %d calls a summary has %d lines, and the last is %s', (count, lines, last) => {
    const calls = Array.from({ length: count }, (_, index) => `c${index}`);
    const messages = conversation(
      said('go'),
      calls.map((id) => call(id, 'Bash', {}, 'one')),
      calls.map((id) => result(id, chars(4_000))),
      said('Go on.'),
      rounds(10, 'x'),
    );

    const summary = stage(messages, EMPTY_COLLAPSE_LOG).staged[0]?.summary.split('\n');

    expect(summary).toHaveLength(lines);
    expect(summary?.at(-1)).toBe(last);
  });
});

describe('as the context fills up', () => {
  const limits = toContextLimits({
    contextWindow: 200_000,
    maxOutputTokens: 20_000,
    percentOverride: null,
    autoCompactWindow: null,
  });
  const holding = (tokens: number) =>
    conversation(said('go'), rounds(40, chars(16_000)), answer('x', 'last', counted(tokens)));
  const collapsed = (tokens: number) => collapse(holding(tokens), EMPTY_COLLAPSE_LOG, limits, 0);

  test('below 60 % of the effective window nothing is staged', () => {
    expect(collapsed(107_999)).toMatchObject({ collapseLog: EMPTY_COLLAPSE_LOG, tokensFreed: 0 });
  });

  test('from 60 % on spans are staged, the view stays', () => {
    const { collapseLog, messages } = collapsed(108_000);

    expect(collapseLog.staged).toHaveLength(3);
    expect(messages).toEqual(holding(108_000));
    expect(collapsed(161_999).collapseLog.committed).toEqual([]);
  });

  test('from 90 % on as many are committed as bring it down to 70 %', () => {
    const { collapseLog, messages, tokensFreed } = collapsed(162_000);

    expect(collapseLog.committed).toHaveLength(2);
    expect(collapseLog.staged).toHaveLength(1);
    expect(tokensFreed).toBeGreaterThan(162_000 - 126_000);
    expect(messages).toEqual(project(holding(162_000), collapseLog));
  });

  test('a reply that knows of a collapse has counted it', () => {
    const { collapseLog } = collapsed(162_000);
    const later = conversation(
      said('go'),
      rounds(40, chars(16_000)),
      answer('x', 'last', counted(162_000)),
      said('y'),
      answer('x', 'next', counted(100_000)),
    );

    const again = collapse(later, collapseLog, limits, 0);

    expect(again.tokensFreed).toBe(0);
    expect(again.collapseLog).toBe(collapseLog);
  });
});
