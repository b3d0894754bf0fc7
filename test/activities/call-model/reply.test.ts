import type { Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { until } from '../../tools/shell/until';
import { given, type Given, type GivenWorker } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;
const call = (name: string, input: unknown, id?: string) =>
  ({ type: 'tool_use', name, input, id }) as const;

async function askFor(...script: readonly ScriptedReply[]) {
  at = await given({ script });
  const worker = at.worker();
  const said = await worker.say('Hello');
  return { worker, said, reply: toReply(await ask(worker, said)) };
}

const streamEntries = async (worker: GivenWorker) =>
  (await worker.log()).filter((entry) => entry.type !== 'query_started');

test('a reply is one append of one record per block, each with the usage and stop reason of the whole', async () => {
  const usage = { input_tokens: 7, output_tokens: 11, cache_read_input_tokens: 5 };
  const content = [say('Look.'), call('Read', { file_path: 'a' })];

  const { worker, said, reply } = await askFor({ content, usage });

  const [, text, toolUse] = await worker.transcript();
  const shared = { id: 'msg_scripted_0', stop_reason: 'tool_use', usage };
  expect(text).toMatchObject({ parentUuid: said.id, message: shared });
  expect(toolUse).toMatchObject({ parentUuid: text!.uuid, message: shared });
  const key = `${said.attempt().key}:reply`;
  expect(text!.everloop).toMatchObject({ key, batch: { index: 0, of: 2 } });
  expect(toolUse!.everloop).toMatchObject({ key, batch: { index: 1, of: 2 } });
  expect(reply).toMatchObject({ requestLeaf: said.id, leaf: toolUse!.uuid, usage });
});

test('each block is in the log as it finishes, and the transcript waits for the whole reply', async () => {
  at = await given({
    script: [{ content: [say('First.'), { ...say('Second.'), hold: 'between' }] }],
  });
  const worker = at.worker();
  const asked = ask(worker, await worker.say('Hello'));
  await at.model.waitUntilHeld('between');
  await until(async () => (await blocksInLog(worker)).length > 0);
  const before = await blocksInLog(worker);
  const committed = await worker.transcript();
  at.model.release('between');
  await asked;

  expect(before).toEqual([[say('First.')]]);
  expect(committed.map(({ type }) => type)).toEqual(['user']);
  expect(await blocksInLog(worker)).toEqual([[say('First.')], [say('Second.')]]);
});

test('deltas can be followed while the block is unfinished', async () => {
  const interruptions = [{ type: 'hold', name: 'middle', afterDeltas: 1 }] as const;
  at = await given({ script: [{ content: [say('0123456789')], deltaChars: 5, interruptions }] });
  const worker = at.worker();
  const asked = ask(worker, await worker.say('Hello'));
  await at.model.waitUntilHeld('middle');
  const { store } = await worker.session();
  const started = (await worker.log()).find((entry) => entry.type === 'stream_started')!;

  const seen: unknown[] = [];
  for await (const { event, blocks } of store.log.followLive(
    started.live,
    AbortSignal.timeout(5_000),
  )) {
    seen.push({ type: Reflect.get(event as object, 'type') as unknown, blocks });
    at.model.release('middle');
  }
  await asked;

  expect(seen).toEqual([
    { type: 'message_start', blocks: 0 },
    { type: 'content_block_start', blocks: 0 },
    { type: 'content_block_delta', blocks: 0 },
    { type: 'content_block_delta', blocks: 0 },
    { type: 'content_block_stop', blocks: 1 },
    { type: 'message_delta', blocks: 1 },
    { type: 'message_stop', blocks: 1 },
  ]);
});

test('observers hear that a stream was kept when its reply is in the transcript, not before', async () => {
  const { worker, reply } = await askFor({ content: [say('Hi.')] });

  const entries = await streamEntries(worker);

  expect(entries.map(({ type }) => type)).toEqual([
    'record',
    'stream_started',
    'record',
    'stream_committed',
  ]);
  expect(entries.at(-1)).toMatchObject({ stream: reply.stream, leaf: reply.leaf });
});

test('a call crosses without its input: id, name, record, safety and a summary', async () => {
  const command = `cat ${'a'.repeat(400)}`;
  const { worker, reply } = await askFor({
    content: [
      call('Read', { file_path: 'notes.txt' }, 'toolu_1'),
      call('Write', { file_path: 'b.txt', content: 'a secret' }, 'toolu_2'),
      call('Bash', { command }, 'toolu_3'),
      call('Read', { path: 'wrong' }, 'toolu_4'),
    ],
  });

  const [, first, second, third, fourth] = (await worker.transcript()).map(({ uuid }) => uuid);
  const summary = 'notes.txt';
  expect(reply.toolUses).toEqual([
    { id: 'toolu_1', recordId: first, name: 'Read', isConcurrencySafe: true, summary },
    { id: 'toolu_2', recordId: second, name: 'Write', isConcurrencySafe: false, summary: 'b.txt' },
    {
      id: 'toolu_3',
      recordId: third,
      name: 'Bash',
      isConcurrencySafe: true,
      summary: `${command.slice(0, 199)}…`,
    },
    { id: 'toolu_4', recordId: fourth, name: 'Read', isConcurrencySafe: false, summary: '' },
  ]);
});

test('a summary of over 200 characters is cut', async () => {
  const { reply } = await askFor({ content: [call('Read', { file_path: 'p'.repeat(500) })] });

  expect(reply.toolUses[0]!.summary).toBe(`${'p'.repeat(199)}…`);
});

test.each(['max_tokens', 'model_context_window_exceeded'] as const)(
  'a reply cut off by %s is withheld, unless it asks for a tool',
  async (stop_reason) => {
    const { reply } = await askFor({ content: [say('And so')], stop_reason });
    await at.close();
    const { reply: withCall } = await askFor({
      content: [call('Read', { file_path: 'a' })],
      stop_reason,
    });

    expect(reply).toMatchObject({ withheld: 'output_limit', stopReason: stop_reason });
    expect(withCall.withheld).toBeNull();
  },
);

test('input that is no JSON counts as empty', async () => {
  const broken = { type: 'tool_use', name: 'Read', rawJson: '{"file_path": "a' } as const;

  const { worker } = await askFor({ content: [broken] });

  const [, record] = await worker.transcript();
  expect(record).toMatchObject({ message: { content: [{ name: 'Read', input: {} }] } });
});

test('an event of a kind that is not known yet is passed over', async () => {
  const text = 'event: news\ndata: {"type":"news"}\n\n';
  const interruptions = [{ type: 'garbage', text, afterBlocks: 1 }] as const;

  const { worker } = await askFor({ content: [say('One.'), say('Two.')], interruptions });

  expect(await blocksInLog(worker)).toEqual([[say('One.')], [say('Two.')]]);
});

async function blocksInLog(worker: GivenWorker): Promise<readonly unknown[]> {
  return (await worker.log()).flatMap((entry) =>
    entry.type === 'record' && entry.record.type === 'assistant'
      ? [entry.record.message.content]
      : [],
  );
}
