import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { Pending } from '../../../src/loop/context';
import type { TranscriptRecord } from '../../../src/transcript/record';
import { ask, toReply } from '../call-model/asked';
import { given, type Given } from '../given';
import { bash, call, called, run, type Called } from '../run-tool/called';
import { END_TURN, finish, resultsOf, tally } from './ended';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;

/** A query that the model has answered with a text. */
async function answered(text = 'Done.') {
  at = await given({ script: [{ content: [say(text)] }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const { leaf } = toReply(await ask(worker, said));
  return { worker, said, attempt: said.attempt('end'), messages: { leaf, pending: [] } };
}

/** A query whose calls are made and not yet chained. */
async function withCalls(...commands: readonly string[]) {
  const query = await called(commands.map(bash));
  at = query;
  const worker = at.worker();
  const pending = query.calls.map(({ id, recordId }): Pending => {
    return { type: 'tool_result', toolUse: { id, recordId }, lost: 'user_interrupted' };
  });
  return { worker, query, pending, attempt: query.said.attempt('end') };
}

const resultIn = (record: TranscriptRecord | undefined): ToolResultBlockParam => {
  const content = record?.type === 'user' ? record.message.content : [];
  return content[0] as ToolResultBlockParam;
};

test('pending results are chained in the order of the calls, and missing ones are made up', async () => {
  const { worker, query, pending, attempt } = await withCalls('echo 1', 'echo 2', 'echo 3');
  await run(query, worker, { index: 2 });
  await run(query, worker, { index: 0 });
  const note: Pending = { type: 'interruption', during: 'tools' };

  const { leaf } = await finish(at, worker, attempt, {
    messages: { leaf: query.leaf, pending: [...pending, note] },
    terminal: { reason: 'aborted_tools', by: 'user' },
  });

  const chained = (await worker.transcript()).slice(-4);
  expect(chained.map(({ parentUuid }) => parentUuid)).toEqual([
    query.leaf,
    ...chained.slice(0, 3).map(({ uuid }) => uuid),
  ]);
  expect(chained.at(-1)?.uuid).toBe(leaf);
  const [first, second, third] = chained.map(resultIn);
  expect(first).toMatchObject({ tool_use_id: query.calls[0]!.id, content: '1' });
  expect(second).toMatchObject({ tool_use_id: query.calls[1]!.id, is_error: true });
  expect(second?.content).toContain('The user stopped this tool call');
  expect(third).toMatchObject({ tool_use_id: query.calls[2]!.id, content: '3' });
  expect(chained.at(-1)).toMatchObject({
    message: { content: [say('[Request interrupted by user for tool use]')] },
  });
});

test('observers hear of what was made up, and not again of what the tools told', async () => {
  const { worker, query, pending, attempt } = await withCalls('echo 1', 'echo 2');
  await run(query, worker, { index: 0 });

  await finish(at, worker, attempt, { messages: { leaf: query.leaf, pending } });

  const told = (await worker.log()).flatMap((entry) =>
    entry.type === 'record' && entry.record.type === 'user' ? [entry.record] : [],
  );
  expect(told.map((record) => resultIn(record).tool_use_id)).toEqual([
    undefined,
    query.calls[0]!.id,
    query.calls[1]!.id,
  ]);
});

test('a prompt that was never sent is in the transcript all the same', async () => {
  at = await given();
  const worker = at.worker();
  const said = await worker.say('Hello');

  await finish(at, worker, said.attempt('end'), {
    messages: { leaf: null, pending: [said.pending] },
    terminal: { reason: 'model_error', message: 'no' },
  });

  expect(await worker.transcript()).toMatchObject([{ uuid: said.id, type: 'user' }]);
});

test('the result and the Signal tell how the query ended', async () => {
  const { worker, said, attempt, messages } = await answered('The answer.');
  const consumed = ['steering'];

  await finish(at, worker, attempt, { messages, tally: tally({ consumed, numTurns: 3 }) });

  expect((await worker.log()).at(-1)).toMatchObject({
    type: 'query_ended',
    promptId: said.id,
    result: { subtype: 'success', result: 'The answer.', num_turns: 3, stop_reason: 'end_turn' },
  });
  const { leaf } = messages;
  expect(attempt.ended).toEqual([
    {
      session: at.sessionWorkflowId,
      ended: { promptId: said.id, leaf, consumed, reason: 'completed', costUsd: 0.035 },
    },
  ]);
});

test('totals add up over the queries of a session', async () => {
  const { worker, attempt, messages } = await answered();
  const next = await worker.say('And now?');

  await finish(at, worker, attempt, { messages });
  await finish(at, at.worker(), next.attempt('end'), { messages });

  const [first, second] = await resultsOf(at.worker());
  // 1,000 in at $5, 1,000 out at $25 and 10,000 cached at $0.50 a million.
  expect(first!.total_cost_usd).toBeCloseTo(0.035, 6);
  expect(second!.total_cost_usd).toBeCloseTo(0.07, 6);
  expect(second!.usage.input_tokens).toBe(1_000);
  expect(Object.values(second!.modelUsage)).toMatchObject([
    {
      inputTokens: 2_000,
      outputTokens: 2_000,
      cacheReadInputTokens: 20_000,
      contextWindow: 200_000,
    },
  ]);
});

test('a repeat writes nothing twice, counts nothing twice, and tells observers what they may have missed', async () => {
  const { worker, query, pending, attempt } = await withCalls('echo 1', 'echo 2');
  await run(query, worker, { index: 0 });
  const messages = { leaf: query.leaf, pending };
  const first = await finish(at, worker, attempt, { messages });
  const before = await worker.transcript();

  const successor = at.worker();
  const second = await finish(at, successor, attempt.next(), { messages });

  expect(second).toEqual(first);
  expect(await successor.transcript()).toEqual(before);
  const [one, two] = await resultsOf(successor);
  expect(two!.total_cost_usd).toBe(one!.total_cost_usd);
  const chained = before.slice(-2).map(({ uuid }) => uuid);
  const toldLast = (await successor.log()).slice(-3, -1);
  expect(toldLast.map((entry) => entry.type === 'record' && entry.record.uuid)).toEqual(chained);
});

test('denials carry the input of the call', async () => {
  const query: Called = await called([
    call('Bash', { command: 'touch a' }),
    call('Bash', { command: 'touch b' }),
  ]);
  at = query;
  const worker = at.worker();
  const [first, second] = query.calls;

  await finish(at, worker, query.said.attempt('end'), {
    messages: { leaf: query.leaf, pending: [] },
    tally: tally({ denied: [first!, second!] }),
  });

  const [result] = await resultsOf(worker);
  expect(result!.permission_denials).toEqual([
    { tool_name: 'Bash', tool_use_id: first!.id, tool_input: { command: 'touch a' } },
    { tool_name: 'Bash', tool_use_id: second!.id, tool_input: { command: 'touch b' } },
  ]);
});

test('a session that cannot be told makes the Activity fail, and the next attempt tells it', async () => {
  const { worker, attempt, messages } = await answered();
  attempt.signalQueryEnded = () => Promise.reject(new Error('the server is away'));
  const next = attempt.next();

  await expect(finish(at, worker, attempt, { messages })).rejects.toThrow('away');
  await finish(at, worker, next, { messages, terminal: END_TURN });

  expect(next.ended).toHaveLength(1);
});

test('a message that is in no store does not keep the query from ending', async () => {
  const { worker, attempt, messages } = await answered();
  const pending = [{ type: 'message', messageId: 'gone' }] as const;

  const finished = await finish(at, worker, attempt, {
    messages: { ...messages, pending },
    terminal: { reason: 'model_error', message: 'Message gone is not in the store.' },
  });

  expect(finished.leaf).toBe(messages.leaf);
  expect(attempt.ended).toHaveLength(1);
});
