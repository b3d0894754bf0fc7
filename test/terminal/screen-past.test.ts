import { readScreenPast } from '../../src/terminal/screen-past';
import type { TranscriptRecord } from '../../src/transcript/record';
import type { FollowedEntry, LogEntry } from '../../src/transcript/session-log';
import { queryStarted, record, textBlock, reply, userRecord } from '../support/fake-session';

const prompt = userRecord({ uuid: 'p', content: 'hello' });
const older = userRecord({ uuid: 'o', content: 'long ago' });
const streamStarted: LogEntry = {
  type: 'stream_started',
  queryId: 'query-p',
  stream: 's',
  turn: 0,
  live: 'live',
};

async function past(entries: readonly LogEntry[], chain: readonly TranscriptRecord[]) {
  async function* read(): AsyncGenerator<FollowedEntry, void> {
    for (const [index, entry] of entries.entries()) yield { cursor: String(index), at: '', entry };
  }
  return readScreenPast({
    log: { read } as never,
    lastLeaf: async () => chain.at(-1)?.uuid ?? null,
    chain: async () => chain,
  });
}

test('what the log does not know was said before it began', async () => {
  const { older: found, cursor } = await past(
    [queryStarted({ id: 'p' }), record('p', prompt)],
    [older, prompt],
  );

  expect(found).toEqual([older]);
  expect(cursor).toBe('1');
});

test('a reply that still streams is followed from its beginning', async () => {
  const running = [queryStarted({ id: 'p' }), record('p', prompt), streamStarted];
  const { entries, cursor } = await past([...running, ...reply([textBlock('a')], 's')], [prompt]);

  expect(entries.map(({ entry }) => entry.type)).toEqual(['query_started', 'record']);
  expect(cursor).toBe('1');
});

test('a session without a past is followed from the beginning of its log', async () => {
  expect(await past([], [])).toEqual({ older: [], entries: [], cursor: null });
});
