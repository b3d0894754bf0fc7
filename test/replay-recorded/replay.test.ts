import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replay } from '../../src/cli/operator/replay';
import type { ReplayCommand } from '../../src/cli/operator/replay-command';
import { compareCalls } from '../../src/replay/compare-calls';
import { NO_RESULT, recordedTools } from '../../src/replay/recorded-tools';
import type { Reply } from '../../src/scripted-model/reply';
import type { TranscriptRecord } from '../../src/transcript/record';
import type { SessionStore, TranscriptStore } from '../../src/transcript/store';
import { calls, plainModel, says, textOf, use } from '../in-process/builders';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';
import { assistantRecord, queryStarted, userRecord } from '../support/fake-session';
import * as build from '../transcript/builders';
import { createFilePlace, type FilePlace } from '../transcript/file-place';

let place: FilePlace;
let store: TranscriptStore;
let session: SessionStore;
beforeEach(async () => {
  place = createFilePlace();
  store = await place.open();
  session = await store.createSession(build.meta(place.cwd));
});
afterEach(() => place.dispose());

const read = { name: 'Read', input: { file_path: 'a.txt' } };
const usage = {
  input_tokens: 1_000_000,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** A session that was asked once, read a file and answered. */
async function record(): Promise<void> {
  const prompt = userRecord({ uuid: '11111111-2222-4333-8444-555555555555', content: 'go' });
  const block = { type: 'tool_use', id: 'toolu_1', ...read, caller: { type: 'direct' } } as const;
  const call = assistantRecord('m1', block);
  const asked = { ...call, message: { ...call.message, usage } };
  const result = userRecord({
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'what was in it' }],
  });
  const answer = assistantRecord('m2', { type: 'text', text: 'It says hello.', citations: null });
  const chain: readonly TranscriptRecord[] = [prompt, asked, result, answer];
  const linked = chain.map((one, index) => ({
    ...one,
    parentUuid: chain[index - 1]?.uuid ?? null,
  }));
  const lease = await session.acquireLease(build.owner('first'), build.alive);
  await session.append(lease, 'key', linked);
  await session.log.append(lease, [queryStarted({ id: prompt.uuid })]);
  await session.putMessage({
    id: prompt.uuid,
    content: 'go',
    submittedAt: prompt.timestamp,
    options: RUN_OPTIONS,
  });
}

async function run(replies: readonly Reply[], command: Partial<ReplayCommand> = {}) {
  const model = plainModel(...replies);
  const world = new FakeSurroundings();
  const exitCode = await replay(
    {
      type: 'replay',
      session: session.meta.sessionId,
      model: null,
      prompt: null,
      systemPrompt: null,
      maxTurns: null,
      json: true,
      ...command,
    },
    { session, stdout: world.of().stdout, callApi: (...asked) => model.callApi(...asked) },
  );
  return { exitCode, model, text: world.stdout.text };
}

test('a replay asks again with the recorded results, and finds nothing different', async () => {
  await record();

  const { exitCode, model, text } = await run([
    calls(use(read.name, read.input)),
    says('It says hello.'),
  ]);

  expect(exitCode).toBe(0);
  expect(textOf(model.requests[1])).toContain('what was in it');
  expect(JSON.parse(text)).toMatchObject({
    recorded: { model: 'claude-sonnet-4-5', turns: 2, toolCalls: 1, costUsd: 3 },
    replayed: { turns: 2, toolCalls: 1, answer: 'It says hello.', ended: 'completed' },
    calls: [{ type: 'same', ...read }],
  });
});

test('another model, prompt and system prompt are what the request has', async () => {
  await record();

  const { model } = await run([says('No.')], {
    model: 'claude-haiku-5-5',
    prompt: 'do less',
    systemPrompt: 'Be brief.',
  });

  expect(model.requests[0]).toMatchObject({
    model: 'claude-haiku-5-5',
    system: [{ text: 'Be brief.' }],
  });
  expect(textOf(model.requests[0])).toContain('do less');
  expect(textOf(model.requests[0])).not.toContain('"go"');
});

test('a call without a recorded result is told so, and nothing is run', async () => {
  await record();
  const victim = join(place.cwd, 'made-by-a-command');

  const { model, text } = await run([
    calls(use('Bash', { command: `touch ${victim}` })),
    says('Then not.'),
  ]);

  expect(existsSync(victim)).toBe(false);
  expect(textOf(model.requests[1])).toContain(NO_RESULT);
  expect(JSON.parse(text)).toMatchObject({
    calls: [
      { type: 'no_result', name: 'Bash' },
      { type: 'not_made', name: 'Read' },
    ],
  });
});

test('people read a table, the calls and both answers', async () => {
  await record();

  const { text } = await run([says('No idea.')], { json: false });

  expect(text).toContain('RECORDED');
  expect(text).toContain('3.0000 USD');
  expect(text).toContain('- Read {"file_path":"a.txt"}');
  expect(text).toContain('It says hello.');
  expect(text).toContain('No idea.');
});

test('the session and its files stay as they are', async () => {
  await record();
  await writeFile(join(place.cwd, 'a.txt'), 'now');
  const leaf = await session.lastLeaf();

  await run([calls(use('Write', { file_path: 'a.txt', content: 'x' })), says('Done.')]);

  expect(await session.lastLeaf()).toBe(leaf);
  await rm(join(place.cwd, 'a.txt'));
});

test('a session without a reply cannot be replayed', async () => {
  await expect(run([])).rejects.toThrow('has no reply');
});

test('calls with the same input get their results in turn, and the last one from then on', async () => {
  const result = (content: string) => ({ content, isError: false });
  const recorded = [
    { ...read, result: result('one') },
    { ...read, result: result('two') },
  ];
  const [tool] = recordedTools(['Read'], recorded, []);

  const said: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    said.push((await tool!.call(read.input, {} as never)).content);
  }

  expect(said).toEqual(['one', 'two', 'two']);
});

test('the order of the fields of an input makes no other call', () => {
  const one = { name: 'Edit', input: { a: 1, b: [{ c: 2, d: 3 }] }, result: null };
  const other = { name: 'Edit', input: { b: [{ d: 3, c: 2 }], a: 1 }, result: null };

  expect(compareCalls([one], [other]).map(({ type }) => type)).toEqual(['same']);
});
