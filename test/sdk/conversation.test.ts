// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, calls, says, text } from '../support/replies';
import { conversationOf, systemOf } from './conversation-of';
import { SdkRig } from './sdk-rig';
import { isInit, isPartial, isText } from './messages';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

test('a prompt is answered', async () => {
  const { options } = await rig.project([says('Hello.')]);

  const query = rig.client.query('Hi', options);

  expect(await query.result()).toMatchObject({ subtype: 'success', result: 'Hello.' });
  expect(query.messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
});

test('prompts of streaming input are answered one after the other, with one init and one result each', async () => {
  const { options, model } = await rig.project([says('One.'), says('Two.')]);

  const query = rig.client.query(null, options);
  query.send('first');
  await query.untilResults(1);
  query.send('second');
  query.end();
  await query.result();

  expect(query.results).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
  expect(query.messages.filter(isInit)).toHaveLength(2);
  expect(conversationOf(model.requests.at(-1))).toEqual([
    'user: first',
    'assistant: One.',
    'user: second',
  ]);
});

test('prompts that are sent before the first answer are all answered, though the input ends at once', async () => {
  const { options } = await rig.project([says('One.'), says('Two.')]);

  const query = rig.client.query(null, options);
  query.send('first');
  query.send('second');
  query.end();

  expect(await query.ended()).toBeNull();
  expect(query.results.length).toBeGreaterThan(0);
  expect(query.requireResult()).toMatchObject({ subtype: 'success', is_error: false });
});

test('with partial messages, the events of the stream come before the message that they make', async () => {
  const { options } = await rig.project([says('Hello there.')]);

  const query = rig.client.query('Hi', { ...options, includePartialMessages: true });
  await query.result();

  const events = query.messages.filter(isPartial).map(({ event }) => event.type);
  expect(events[0]).toBe('message_start');
  expect(events).toContain('content_block_delta');
  expect(events.at(-1)).toBe('message_stop');
  expect(query.messages.findIndex(isPartial)).toBeLessThan(query.messages.findIndex(isText));
});

test('setModel counts from the next request on', async () => {
  const { options, model } = await rig.project([says('One.'), says('Two.')]);

  const query = rig.client.query(null, { ...options, model: 'claude-sonnet-4-5' });
  query.send('first');
  await query.untilResults(1);
  await query.call('setModel', 'claude-opus-4-5');
  query.send('second');
  query.end();
  await query.result();

  expect(model.requests.map(({ body }) => body.model)).toEqual([
    'claude-sonnet-4-5',
    'claude-opus-4-5',
  ]);
  expect(query.messages.filter(isInit).at(-1)?.model).toBe('claude-opus-4-5');
});

test('setPermissionMode counts for the calls that come after it', async () => {
  const write = call('Write', { file_path: 'made.txt', content: 'x' });
  const { options } = await rig.project([
    calls(write),
    says('Denied.'),
    calls(write),
    says('Done.'),
  ]);

  const query = rig.client.query(null, options);
  query.send('write');
  await query.untilResults(1);
  await query.call('setPermissionMode', 'acceptEdits');
  query.send('write again');
  query.end();
  await query.result();

  expect(query.results).toMatchObject([
    { permission_denials: [{ tool_name: 'Write' }] },
    { permission_denials: [] },
  ]);
});

test('interrupt ends the turn with an error result, and the next prompt runs', async () => {
  const held = { ...says('never said'), hold: 'reply' };
  const { options, model } = await rig.project([held, says('Still here.')], 'arrival');

  const query = rig.client.query(null, options);
  query.send('long work');
  await model.waitUntilHeld('reply');
  await query.call('interrupt');
  await query.untilResults(1);
  query.send('and now?');
  query.end();
  await query.result();

  expect(query.results).toMatchObject([
    { subtype: 'error_during_execution', is_error: true },
    { subtype: 'success', result: 'Still here.' },
  ]);
});

test('a JSON schema makes the answer a value of it', async () => {
  const { options } = await rig.project([
    calls(call('StructuredOutput', { capital: 'Paris' })),
    says('Given.'),
  ]);
  const schema = {
    type: 'object',
    properties: { capital: { type: 'string' } },
    required: ['capital'],
  };

  const query = rig.client.query('Capital of France?', {
    ...options,
    outputFormat: { type: 'json_schema', schema },
  });

  expect(await query.result()).toMatchObject({ structured_output: { capital: 'Paris' } });
});

test('a budget that is spent ends the turn, and the SDK throws after the result', async () => {
  const costly = { usage: { input_tokens: 1_000_000, output_tokens: 1_000 } };
  const { options, model } = await rig.project([
    { ...calls(call('Bash', { command: 'echo one' })), ...costly },
    says('never asked for'),
  ]);

  const query = rig.client.query('work', {
    ...options,
    maxBudgetUsd: 0.5,
    allowedTools: ['Bash'],
  });

  expect(await query.ended()).toContain('money limit');
  expect(query.requireResult()).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
  expect(model.requests).toHaveLength(1);
});

test('costs are reckoned with the prices of the home folder where it names the model', async () => {
  const noCache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const used = { usage: { input_tokens: 1_000_000, output_tokens: 1_000, ...noCache } };
  const { options } = await rig.project([{ ...says('Hello.'), ...used }]);
  const prices = { date: '2026-01-31', models: { 'my-model': { input: 7, output: 70 } } };
  await mkdir(rig.home, { recursive: true, mode: 0o700 });
  await writeFile(join(rig.home, 'prices.json'), JSON.stringify(prices));

  const query = rig.client.query('Hi', { ...options, model: 'my-model' });

  const { total_cost_usd: total, modelUsage } = await query.result();
  expect(total).toBeCloseTo(7.07, 6);
  expect(modelUsage['my-model']?.costUSD).toBeCloseTo(7.07, 6);
});

test('a sub-agent that the client defines answers its caller', async () => {
  const { options, model } = await rig.project((request) => {
    if (systemOf(request).includes('You count things.')) return says('There are 3.');
    return request.outline.assistantMessages > 0
      ? says('Three.')
      : calls(
          call('Task', { description: 'count', prompt: 'Count them.', subagent_type: 'counter' }),
        );
  });

  const query = rig.client.query('How many?', {
    ...options,
    agents: { counter: { description: 'Counts.', prompt: 'You count things.' } },
  });

  expect(await query.result()).toMatchObject({ result: 'Three.' });
  expect(model.requests).toHaveLength(3);
  const ofSubAgent = query.messages.filter(
    (message) => message.type === 'user' && message.parent_tool_use_id !== null,
  );
  expect(ofSubAgent).not.toHaveLength(0);
});

test('a text with several blocks comes as one message a block', async () => {
  const { options } = await rig.project([calls(text('One.'), text('Two.'))]);

  const query = rig.client.query('Hi', options);

  expect(await query.result()).toMatchObject({ result: 'Two.' });
  expect(query.messages.filter(isText)).toHaveLength(2);
});
