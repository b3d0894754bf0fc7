import { readLines } from '../../../src/cli/input/lines';

async function linesOf(chunks: readonly (Buffer | string)[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const { text } of readLines(toStream(chunks))) lines.push(text);
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

test('a last line without an end is told from a whole one', async () => {
  const wholes: boolean[] = [];

  for await (const { isWhole } of readLines(toStream(['a\nb']))) wholes.push(isWhole);

  expect(wholes).toEqual([true, false]);
});

test('a line that does not end is given up before it fills the memory', async () => {
  const endless = readLines(toStream(['12345', '67890', '1']), 10);

  await expect(endless.next()).rejects.toThrow('a line has more than 10 bytes and no end');
});

test('what goes wrong in the stream is told in words', async () => {
  async function* broken(): AsyncGenerator<Buffer, void> {
    yield Buffer.from('a');
    throw new Error('EISDIR: illegal operation on a directory, read');
  }

  await expect(readLines(broken()).next()).rejects.toThrow(
    'Standard input cannot be read: EISDIR: illegal operation on a directory, read.',
  );
});
