import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { contentOf } from '../contents';
import { ask } from '../call-model/asked';
import { lastTextsOf, messagesOf } from '../requests';
import { firstTurn, takeTurn } from '../turns';
import {
  compacted,
  contextAfter,
  conversed,
  rounds,
  says,
  SUMMARY,
  text,
  type Conversed,
} from './conversed';

let at: Conversed;
afterEach(() => at.close());

const read = (file: string) =>
  ({ type: 'tool_use', name: 'Read', input: { file_path: file } }) as const;

test('the new context is the boundary, then the summary; the old one ends where it did', async () => {
  at = await conversed(rounds(2), [SUMMARY]);
  const worker = at.worker();

  const outcome = await compacted(at, worker);

  const records = await contextAfter(worker, outcome);
  expect(records).toMatchObject([
    {
      type: 'system',
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: at.leaf,
      compactMetadata: { trigger: 'auto', preTokens: expect.any(Number) as number },
    },
    { type: 'user', isCompactSummary: true, parentUuid: records[0]?.uuid },
  ]);
  expect((await worker.transcript()).slice(-2)).toEqual(records);
});

test('the summary comes without its private part, and says where all of it can be read', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const worker = at.worker();

  const [, summary] = await contextAfter(worker, await compacted(at, worker));

  const { store } = await worker.session();
  const words = String(summary && contentOf(summary));
  expect(words).toContain('Ann greets.');
  expect(words).not.toContain('Private.');
  expect(words).toContain(store.transcriptPath);
  expect(words).toContain('Go on with the work');
});

test('the next request begins with the summary', async () => {
  at = await conversed(rounds(2), [SUMMARY, says('Hello again.')]);
  const worker = at.worker();
  const outcome = await compacted(at, worker);
  const said = await worker.say('And now?');

  await ask(worker, said, said.attempt('next'), { leaf: 'leaf' in outcome ? outcome.leaf : '' });

  expect(messagesOf(at, -1)).toHaveLength(1);
  expect(lastTextsOf(at, -1)).toEqual([
    expect.stringContaining('This conversation continues') as string,
    'And now?',
  ]);
});

test('what the task budget has to know is what the last reply and its request held', async () => {
  const usage = { input_tokens: 120_000, output_tokens: 100, cache_read_input_tokens: 7 };
  const reply = { ...says('Long.'), usage: { ...usage, cache_creation_input_tokens: 0 } };
  at = await conversed([['Hello', reply]], [SUMMARY]);

  const outcome = await compacted(at, at.worker());

  expect(outcome).toMatchObject({ type: 'compacted', contextTokens: 120_107 });
});

test('the summary is asked for behind the same bytes as every other request, without a task budget', async () => {
  at = await conversed(rounds(2), [SUMMARY]);

  await compacted(at, at.worker());

  const [last, summary] = at.model.requests.slice(-2).map(({ body }) => body);
  expect(summary?.system).toEqual(last?.system);
  expect(summary?.tools).toEqual(last?.tools);
  expect(JSON.stringify(summary?.messages.slice(0, 3))).toBe(JSON.stringify(last?.messages));
  expect(lastTextsOf(at, -1).at(-1)).toContain('Do not call any tool');
  expect(summary).not.toHaveProperty('output_config');
});

test('images are named in the summary request, not sent', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' } as const;
  at = await conversed(
    [[[{ type: 'image', source }, text('What is it?')], says('A cat.')]],
    [SUMMARY],
  );

  await compacted(at, at.worker());

  expect(messagesOf(at, 1)[0]?.content).toEqual([text('[image]'), text('What is it?')]);
});

test('files that were read come back as they are now, the newest first, and count as read', async () => {
  const file = (name: string): string => path.join(at.workspace, name);
  at = await conversed(
    [['Read', { content: [read('a.txt'), read('gone.txt'), read('b.txt')] }, says('Done.')]],
    [SUMMARY],
    async ({ workspace }) => {
      for (const name of ['a.txt', 'gone.txt', 'b.txt'])
        await writeFile(path.join(workspace, name), name);
    },
  );
  await writeFile(file('a.txt'), 'changed');
  await rm(file('gone.txt'));
  const worker = at.worker();

  const records = await contextAfter(worker, await compacted(at, worker));

  const attached = records.slice(2).map((record) => JSON.stringify(contentOf(record)));
  expect(attached).toHaveLength(2);
  expect(attached[0]).toContain('b.txt');
  expect(attached[1]).toContain('changed');
  expect(records.at(-1)?.everloop?.files).toMatchObject([{ path: file('a.txt') }]);
});

test('observers are told that it goes on and that it is done, of the boundary and of the summary', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const worker = at.worker();
  const before = (await worker.log()).length;

  await compacted(at, worker);

  expect((await worker.log()).slice(before)).toMatchObject([
    { type: 'status', status: 'compacting' },
    { type: 'record', record: { subtype: 'compact_boundary' } },
    { type: 'record', record: { isCompactSummary: true } },
    { type: 'status', status: null },
  ]);
});

test('a compaction that was not reported is adopted: same outcome, no second request', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const attempt = at.said.attempt('compact');
  const first = await compacted(at, at.worker(), { attempt });

  const successor = at.worker();
  const second = await compacted(at, successor, { attempt: attempt.next() });

  expect(second).toEqual(first);
  expect(at.model.requests).toHaveLength(2);
  const statuses = (await successor.log()).filter(({ type }) => type === 'status');
  expect(statuses.at(-1)).toMatchObject({ status: null });
});

test('what it cost is told with the model that wrote it', async () => {
  const usage = { input_tokens: 5, output_tokens: 3 };
  at = await conversed(rounds(1), [{ ...SUMMARY, usage }]);

  const outcome = await compacted(at, at.worker());

  expect(outcome).toMatchObject({ costs: { model: 'claude-opus-4-5', usage } });
});

test('a conversation is compacted again from its last summary on', async () => {
  at = await conversed(rounds(2), [SUMMARY, says('Third.'), says('<summary>Both.</summary>')]);
  const worker = at.worker();
  const first = await compacted(at, worker);
  const said = await worker.say('More');
  const leaf = 'leaf' in first ? first.leaf : '';
  const { leaf: end } = await takeTurn(at, worker, firstTurn(said, leaf));

  const again = await compacted(at, worker, { leaf: end, attempt: said.attempt('compact') });

  expect(JSON.stringify(messagesOf(at, -1))).not.toContain('Prompt 0');
  expect(JSON.stringify(messagesOf(at, -1))).toContain('Ann greets.');
  const [, summary] = await contextAfter(worker, again);
  expect(String(summary && contentOf(summary))).toContain('Both.');
});

test('the prompt that made it too large is summarised with the rest', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const small = { context: { percentOverride: null, autoCompactWindow: 20_000 } };
  const worker = at.worker(small);
  const said = await worker.say('Second prompt');
  const full = await ask(worker, said, said.attempt('2'), { leaf: at.leaf });

  await compacted(at, worker, { leaf: said.id, attempt: said.attempt('compact') });

  expect(full).toEqual({ type: 'compaction_needed', leaf: said.id });
  expect(lastTextsOf(at, -1)[0]).toBe('Second prompt');
});
