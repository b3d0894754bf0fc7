import { createAgentLoop } from '../../src/template';
import { asks, config, PROMPT, runToEnd, says, scripted } from './builders';

test('a run tells thinking, response, call and result of each turn, then that it is done', async () => {
  const { model, requests } = scripted(asks('echo'), says('bye'));

  const { told, ending } = await runToEnd(createAgentLoop(model, PROMPT, config));

  expect(told).toEqual([
    ...['thinking', 'response', 'tool_call echo', 'tool_result echo'],
    ...['thinking', 'response', 'done/stop_condition'],
  ]);
  expect(ending).toMatchObject({ turns: 2, reason: 'stop_condition' });
  expect(requests[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('an answer stands behind the reply that asked for it', async () => {
  const { model, requests } = scripted(asks('echo', 'echo'), asks('echo'), says('bye'));

  await runToEnd(createAgentLoop(model, PROMPT, config));

  expect(requests[2]?.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'tool', 'assistant', 'tool'],
  ]);
});

test('the turn limit ends the run with every call answered', async () => {
  const { model, requests } = scripted(asks('echo'), asks('echo'));

  const { told, ending } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, maxTurns: 2 }),
  );

  expect(told.at(-1)).toBe('done/max_turns');
  expect(requests).toHaveLength(2);
  expect(ending.messages.at(-1)).toMatchObject({ role: 'tool', content: 'echo!' });
});

test('a refusal ends the run as user_denied, and what was not run says so', async () => {
  const { model } = scripted(asks('echo', 'fail', 'echo'));
  const onBeforeToolCall = async ({ name }: { name: string }) => name !== 'fail';

  const { told, ending } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, onBeforeToolCall }),
  );

  expect(told.slice(2)).toEqual(['tool_call echo', 'tool_result echo', 'done/user_denied']);
  expect(ending.messages.slice(2)).toMatchObject([
    { callId: 'echo-0', isError: false },
    { callId: 'fail-1', isError: true },
    { callId: 'echo-2', isError: true },
  ]);
});

test('an unknown tool is an error that the model hears of, and the run goes on', async () => {
  const { model, requests } = scripted(asks('fly', 'echo'), says('bye'));

  const { told } = await runToEnd(createAgentLoop(model, PROMPT, config));

  expect(told.slice(2, 6)).toEqual([
    ...['tool_call fly', 'error fly', 'tool_call echo', 'tool_result echo'],
  ]);
  expect(requests[1]?.[2]).toMatchObject({ content: 'Unknown tool: fly', isError: true });
});

test('a failing tool is an error event, and the model reads why', async () => {
  const { model, requests } = scripted(asks('fail'), says('bye'));

  const { told } = await runToEnd(createAgentLoop(model, PROMPT, config));

  expect(told.slice(2, 5)).toEqual(['tool_call fail', 'error fail', 'thinking']);
  expect(requests[1]?.[2]).toMatchObject({ content: 'disk full', isError: true });
});

test('a failing model is an error event, then the end', async () => {
  const { events, told } = await runToEnd(createAgentLoop(scripted().model, PROMPT, config));

  expect(told).toEqual(['thinking', 'error', 'done/model_error']);
  expect(events[1]?.data).toMatchObject({ error: new Error('The script is used up.') });
});

test('a reply that ends the run leaves no call open, so that another run can go on from it', async () => {
  const first = scripted(asks('echo'));
  const stop = { ...config, shouldContinue: () => false };
  const { ending } = await runToEnd(createAgentLoop(first.model, PROMPT, stop));
  const second = scripted(says('bye'));

  await runToEnd(createAgentLoop(second.model, ending.messages, config));

  expect(second.requests[0]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

test('the caller keeps its messages as they were', async () => {
  const messages = [...PROMPT];

  await runToEnd(createAgentLoop(scripted(asks('echo'), says('bye')).model, messages, config));

  expect(messages).toEqual(PROMPT);
});
