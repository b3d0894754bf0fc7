import { MemoryTranscript } from '../../src/in-process';
import { calls, lastMessage, plainModel, runToEnd, says, tool, use } from './builders';

const SONNET = 'claude-sonnet-4-5';

test('the reply that crosses the money limit ends the run; its calls have a result, and are not waited for', async () => {
  const transcript = new MemoryTranscript();
  const dear = { ...calls(use('Never')), usage: { output_tokens: 1_000_000 } };
  const never = tool('Never', { call: () => Promise.reject(new Error('was run')) });

  const { events, terminal } = await runToEnd({
    ...plainModel(dear),
    prompt: 'go',
    model: SONNET,
    tools: [never],
    transcript,
    maxBudgetUsd: 14,
  });

  expect(terminal).toEqual({ reason: 'budget_exhausted' });
  expect(events.at(-1)).toMatchObject({ type: 'end', terminal });
  expect(transcript.chain().at(-1)).toMatchObject({
    message: { content: [{ type: 'tool_result', is_error: true }] },
  });
});

test('a run below its money limit ends well', async () => {
  const model = plainModel(says('hi', { output_tokens: 1_000 }));

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: SONNET, maxBudgetUsd: 1 });

  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('the model is told its task budget, and after a compaction what is left of it', async () => {
  const transcript = new MemoryTranscript();
  const old = plainModel(says('old', { input_tokens: 170_000, output_tokens: 100 }));
  await runToEnd({ ...old, prompt: 'first', model: 'm', transcript });
  const model = plainModel(says('<summary>all</summary>'), says('done'));

  await runToEnd({ ...model, prompt: 'second', model: 'm', transcript, taskBudget: 300_000 });

  const [summary, next] = model.requests;
  expect(summary).not.toHaveProperty('output_config');
  expect(next).toHaveProperty('output_config.task_budget', {
    type: 'tokens',
    total: 300_000,
    remaining: 129_900,
  });
});

test('a token budget asks the model to go on until it is used up', async () => {
  const model = plainModel(
    says('half', { output_tokens: 500 }),
    says('all', { output_tokens: 500 }),
  );

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', tokenBudget: 1_000 });

  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(lastMessage(model.requests[1])).toMatchObject([
    { text: expect.stringContaining('50 %') as string },
  ]);
});

test('the limit of turns ends the run with the results of its last turn', async () => {
  const transcript = new MemoryTranscript();

  const { terminal } = await runToEnd({
    ...plainModel(calls(use('Say'))),
    prompt: 'go',
    model: 'm',
    tools: [tool('Say')],
    transcript,
    maxTurns: 1,
  });

  expect(terminal).toEqual({ reason: 'max_turns', turnCount: 2 });
  expect(transcript.chain().at(-1)).toMatchObject({
    message: { content: [{ type: 'tool_result', content: 'Say is done' }] },
  });
});
