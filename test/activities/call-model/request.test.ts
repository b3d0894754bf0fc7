import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { callModel } from '../../../src/activities/call-model/call-model';
import { runTool } from '../../../src/activities/run-tool/run-tool';
import { given, readTranscript, type Given } from '../given';
import { ask, input, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;

test('the prompt is on disk before its request leaves', async () => {
  at = await given({ script: [{ content: [say('Hi.')], hold: 'door' }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const { store } = await worker.session();

  const reply = ask(worker, said);
  await at.model.waitUntilHeld('door');
  const onDisk = await readTranscript(store.transcriptPath);
  at.model.release('door');
  await reply;

  expect(onDisk).toMatchObject([
    { type: 'user', uuid: said.id, parentUuid: null, message: { content: 'Hello' } },
  ]);
});

test('cache marks stand behind the system prompt and, by the mark of the request, behind its end', async () => {
  at = await given({ script: [{ content: [say('Hi.')] }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  const { system, messages, cache_control } = at.model.requests[0]!.body;
  const blocks = Array.isArray(system) ? system : [];
  expect(blocks.at(-1)).toHaveProperty('cache_control', { type: 'ephemeral' });
  expect(blocks.slice(0, -1).filter((block) => 'cache_control' in block)).toEqual([]);
  expect(cache_control).toEqual({ type: 'ephemeral' });
  expect(JSON.stringify(messages)).not.toContain('cache_control');
});

test('the request tells of every tool on offer and of no other', async () => {
  at = await given({ script: [{ content: [say('Hi.')] }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello', { tools: ['Read', 'Bash'] }));

  const { tools = [] } = at.model.requests[0]!.body;
  expect(tools.map((tool) => 'name' in tool && tool.name)).toEqual(['Read', 'Bash']);
});

test('thinking blocks go back unchanged, with their signatures', async () => {
  const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' } as const;
  const hidden = { type: 'redacted_thinking', data: 'ZGF0YQ==' } as const;
  at = await given({
    script: [{ content: [thinking, hidden, say('First.')] }, { content: [say('Second.')] }],
  });
  const worker = at.worker();
  const first = toReply(await ask(worker, await worker.say('1?', { maxThinkingTokens: 2_000 })));

  const second = await worker.say('2?', { maxThinkingTokens: 2_000 });
  await ask(worker, second, second.attempt('2'), { leaf: first.leaf });

  const { thinking: mode, messages } = at.model.requests[1]!.body;
  expect(mode).toEqual({ type: 'enabled', budget_tokens: 2_000 });
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    content: [thinking, hidden, say('First.')],
  });
});

test('effort and features of the API are passed on as they were asked for', async () => {
  at = await given({ script: [{ content: [say('Hi.')] }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello', { effort: 'high', betas: ['one', 'two'] }));

  const [request] = at.model.requests;
  expect(request?.body).toMatchObject({ output_config: { effort: 'high' } });
  expect(request?.headers['anthropic-beta']).toBe('one,two');
});

test('without them the request has no word of either', async () => {
  at = await given({ script: [{ content: [say('Hi.')] }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  const [request] = at.model.requests;
  expect(request?.body).not.toHaveProperty('output_config');
  expect(request?.headers).not.toHaveProperty('anthropic-beta');
});

test('memory files stand before the first message, and later requests begin with the same bytes', async () => {
  at = await given({ script: [{ content: [call('one.txt')] }, { content: [say('Done.')] }] });
  await writeFile(path.join(at.workspace, 'CLAUDE.md'), 'Speak Latin.');
  await writeFile(path.join(at.workspace, 'one.txt'), 'one');
  const worker = at.worker();
  const said = await worker.say('Read it');
  const first = toReply(await ask(worker, said));
  const [toolUse] = first.toolUses;
  await runTool(worker.deps, said.attempt('2'), {
    call: toolUse!,
    mode: 'default',
    workingDirectory: at.workspace,
  });
  // What the beginning is made of changes; the beginning must not.
  await writeFile(path.join(at.workspace, 'CLAUDE.md'), 'Speak Greek.');
  await mkdir(path.join(at.workspace, '.git'));

  const restarted = at.worker();
  const pending = [{ type: 'tool_result', toolUse: toolUse! }] as const;
  await callModel(restarted.deps, said.attempt('3'), input(first.leaf, pending, { turn: 2 }));

  const [one, two] = at.model.requests.map(({ body }) => body);
  expect(JSON.stringify(one!.messages)).toContain('Speak Latin.');
  expect(JSON.stringify(two!.system)).toBe(JSON.stringify(one!.system));
  expect(JSON.stringify(two!.tools)).toBe(JSON.stringify(one!.tools));
  expect(startOf(two!.messages, one!.messages.length)).toBe(JSON.stringify(one!.messages));
});

test('a command that is answered here asks nobody', async () => {
  at = await given();
  const worker = at.worker();

  const outcome = await ask(worker, await worker.say('/nonsense'));

  expect(outcome.type).toBe('no_request');
  expect(await worker.transcript()).toMatchObject([
    { type: 'system', content: '/nonsense' },
    { type: 'assistant', message: { content: [say('Unknown command: /nonsense')] } },
  ]);
});

function call(file: string) {
  return { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: file } } as const;
}

const startOf = (messages: readonly MessageParam[], count: number): string =>
  JSON.stringify(messages.slice(0, count));
