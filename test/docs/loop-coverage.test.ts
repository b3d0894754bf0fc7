import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Transition } from '../../src/loop/state';
import type { CompletedDetail, Terminal } from '../../src/loop/terminal';

const root = path.join(__dirname, '../..');
const page = readFileSync(path.join(root, 'docs/loop-coverage.md'), 'utf8');

interface Mention {
  readonly file: string;
  /** Titles of its tests. */
  readonly titles: readonly string[];
}

/** A file, and the titles in quotes that follow it on its line. */
const mentions: readonly Mention[] = page.split('\n').flatMap((line) =>
  line
    .split(/(?=`test\/[^`]+\.ts`)/)
    .slice(1)
    .map((part) => ({
      file: /^`([^`]+)`/.exec(part)?.[1] ?? part,
      titles: [...part.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title),
    })),
);
const ofFile = (file: string): readonly string[] =>
  mentions.flatMap((mention) => (mention.file === file ? mention.titles : []));
const rowsOf = (section: number): readonly (readonly string[])[] =>
  (page.split(/^## /m)[section] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

/** The source holds the text as a string of its own. */
function holds(source: string, text: string): boolean {
  const literals = [`'${text.replaceAll("'", "\\'")}'`, `"${text}"`, `\`${text}\``];
  return literals.some((literal) => source.includes(literal));
}

test.each([...new Set(mentions.map(({ file }) => file))])(
  '%s has the tests of the page',
  (file) => {
    const place = path.join(root, file);
    expect(existsSync(place)).toBe(true);

    const source = readFileSync(place, 'utf8');

    expect(ofFile(file).filter((title) => !holds(source, title))).toEqual([]);
  },
);

test('the page has each transition, and each once', () => {
  const reasons: Record<Transition['reason'], true> = {
    next_turn: true,
    collapse_drain_retry: true,
    reactive_compact_retry: true,
    max_output_tokens_escalate: true,
    max_output_tokens_recovery: true,
    stop_hook_blocking: true,
    token_budget_continuation: true,
  };

  expect(rowsOf(1).map(([name]) => name)).toEqual(
    Object.keys(reasons).map((name) => `\`${name}\``),
  );
});

test('the page has each way out of the loop', () => {
  const details: Record<CompletedDetail, true> = {
    end_turn: true,
    empty: true,
    api_error: true,
    output_limit: true,
    no_request: true,
    structured_output: true,
  };
  const reasons: Record<Exclude<Terminal['reason'], 'completed'>, true> = {
    blocking_limit: true,
    prompt_too_long: true,
    image_error: true,
    model_error: true,
    aborted_streaming: true,
    aborted_tools: true,
    stop_hook_prevented: true,
    hook_stopped: true,
    max_turns: true,
    rapid_refill_breaker: true,
    budget_exhausted: true,
    structured_output_retry_exhausted: true,
  };

  const ways = rowsOf(2).map(([way = '']) => way.replaceAll('`', ''));

  expect(ways).toEqual(
    expect.arrayContaining(Object.keys(details).map((detail) => `completed: ${detail}`)),
  );
  const named = new Set(ways.map((way) => /^\w+/.exec(way)?.[0]));
  expect(named).toEqual(new Set(['completed', ...Object.keys(reasons)]));
});

test('the page has every feature of the list, in order', () => {
  const numbers = Array.from({ length: 68 }, (_, index) => String(index + 1));

  const onPage = rowsOf(4).map(([number = '']) => number);

  expect(onPage.filter((number) => !number.endsWith('b'))).toEqual(numbers);
  expect(onPage).toEqual(expect.arrayContaining(['20b', '24b']));
});

test.each([1, 2, 3, 4, 5, 6, 7])(
  'every row of section %i names a test, or says why not',
  (section) => {
    const rows = rowsOf(section);

    const silent = rows.filter((cells) => !/“|\*\*later\*\*/.test(cells.at(-1) ?? ''));

    expect(rows).not.toEqual([]);
    expect(silent).toEqual([]);
  },
);
