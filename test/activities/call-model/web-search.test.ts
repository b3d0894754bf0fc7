import type { Reply as ModelReply } from '../../../src/loop/outcomes';
import type { Reply } from '../../../src/scripted-model/reply';
import { given, type Given } from '../given';
import { messagesOf } from '../requests';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const ENCRYPTED = `${'Eq+/'.repeat(3_000)}é\u2028==`;
const SEARCHED: Reply = {
  content: [
    { type: 'text', text: 'Let me look.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', input: { query: 'weather in Ulm' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ url: 'https://a.test/', title: 'Weather', encrypted_content: ENCRYPTED }],
    },
    { type: 'text', text: 'It rains.' },
  ],
  usage: { server_tool_use: { web_search_requests: 1 } },
};
const DONE: Reply = { content: [{ type: 'text', text: 'Done.' }] };
const REFUSAL: Reply = {
  error: { type: 'invalid_request_error', message: 'web_search_20250305 is not enabled here.' },
};
const BLOCKS = [
  { type: 'text', text: 'Let me look.' },
  {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'weather in Ulm' },
  },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      {
        type: 'web_search_result',
        url: 'https://a.test/',
        title: 'Weather',
        encrypted_content: ENCRYPTED,
      },
    ],
  },
  { type: 'text', text: 'It rains.' },
];

/** Names of the tools in the n-th request, those of the API by their type. */
const toolsIn = (index: number): readonly string[] =>
  (at.model.requests.at(index)?.body.tools ?? []).map((tool) =>
    'input_schema' in tool ? tool.name : tool.type,
  );

async function askAll(
  script: readonly Reply[],
  options: Parameters<ReturnType<Given['worker']>['say']>[1] = {
    allowedTools: ['WebSearch'],
  },
): Promise<readonly ModelReply[]> {
  at = await given({ script });
  const worker = at.worker();
  const replies: ModelReply[] = [];
  const prompts = script.filter(({ error }) => error === undefined).length;
  for (let index = 0; index < prompts; index += 1) {
    replies.push(toReply(await ask(worker, await worker.say(`Prompt ${index}`, options))));
  }
  return replies;
}

test('a search is a part of the reply, is counted, and goes back byte for byte', async () => {
  const [reply] = await askAll([SEARCHED, DONE]);

  expect(reply).toMatchObject({
    toolUses: [],
    usage: { server_tool_use: { web_search_requests: 1 } },
  });
  expect(messagesOf(at, 1)[1]).toEqual({ role: 'assistant', content: BLOCKS });
});

test('blocks of a search are records like all others', async () => {
  await askAll([SEARCHED]);

  const records = await at.worker().transcript();
  const blocks = records.flatMap((record) =>
    record.type === 'assistant' ? record.message.content : [],
  );
  expect(blocks).toEqual(BLOCKS);
});

test.each<[string, Parameters<typeof askAll>[1], boolean]>([
  ['where a rule allows it', { allowedTools: ['WebSearch'] }, true],
  ['in bypass mode', { permissionMode: 'bypassPermissions' }, true],
  ['not where a person would have to be asked', {}, false],
  ['not where a person could be asked', { asks: 'host' }, false],
  [
    'not where a rule forbids it',
    { permissionMode: 'bypassPermissions', disallowedTools: ['WebSearch'] },
    false,
  ],
  ['not where it was left out', { allowedTools: ['WebSearch'], tools: ['Read'] }, false],
])('the model may search %s', async (_where, options, isOffered) => {
  await askAll([DONE], options);

  expect(toolsIn(0).includes('web_search_20250305')).toBe(isOffered);
});

test('an API without searches costs the tool, not the turn', async () => {
  const [reply] = await askAll([REFUSAL, DONE, DONE]);

  expect(reply).toMatchObject({ apiError: null, withheld: null });
  const offered = [0, 1, 2].map((index) => toolsIn(index).includes('web_search_20250305'));
  expect(offered).toEqual([true, false, false]);
});
