import { readLines } from '../../../src/cli/input/lines';

async function linesOf(chunks: readonly (Buffer | string)[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(toStream(chunks))) lines.push(line);
  return lines;
}

async function* toStream<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

test('a character that is cut between two chunks stays whole', async () => {
  const bytes = Buffer.from('"grün 🙂"\n');

  expect(await linesOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(['"grün 🙂"']);
});

test('only a line feed ends a line', async () => {
  const separators = 'a\u2028b\u2029c\u0085d\rb';

  expect(await linesOf([`${separators}\nnext\n`])).toEqual([separators, 'next']);
});

test('several lines in one chunk, one line in several, and a last one without an end', async () => {
  expect(await linesOf(['a\nb', 'b\n\nc', 'c'])).toEqual(['a', 'bb', '', 'cc']);
});
