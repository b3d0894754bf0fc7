import type { FinishedTurn, TurnVerdict } from '../../src/loop/turn-end';
import { call, DONE, params, reply, toolReply, truncated } from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps, type Step } from './scripted-deps';

const ENDS = { ...DONE, terminate: true } as const;
const bring = (...ids: readonly string[]) =>
  ids.map((messageId) => ({ type: 'message', messageId }) as const);

/** A host that gives its verdicts in order, then lets the loop do as it will. */
function hostWith(steps: readonly Step[], verdicts: readonly (TurnVerdict | null)[] = []) {
  const turns: FinishedTurn[] = [];
  const deps = scriptedDeps(steps);
  const endTurn = async (turn: FinishedTurn): Promise<TurnVerdict> => {
    const verdict = verdicts[turns.push(turn) - 1] ?? null;
    return verdict ?? { type: 'proceed', messages: [], toolUseContext: turn.toolUseContext };
  };
  return Object.assign(deps, { turns, endTurn });
}

test('the host hears of each turn that ended well, and whether the loop goes on by itself', async () => {
  const host = hostWith([toolReply(call('a')), reply()]);

  const { terminal } = await runLoop(params(), host);

  expect(host.turns).toMatchObject([
    { willGoOn: true, mayGoOn: true },
    { willGoOn: false, mayGoOn: true },
  ]);
  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('messages that the host brings begin another turn', async () => {
  const { toolUseContext } = params();
  const host = hostWith(
    [reply({ leaf: 'first' }), reply()],
    [{ type: 'proceed', messages: bring('follow-up'), toolUseContext }],
  );

  const { states } = await runLoop(params(), host);

  expect(states).toMatchObject([{ turnCount: 2, transition: { reason: 'next_turn' } }]);
  expect(host.requests[1]?.messages).toEqual({ leaf: 'first', pending: bring('follow-up') });
});

test('what the host brings stands behind the results, and its context is the next one', async () => {
  const toolUseContext = { ...params().toolUseContext, model: 'other' };
  const host = hostWith(
    [toolReply(call('a')), reply()],
    [{ type: 'proceed', messages: bring('steering'), toolUseContext }],
  );

  await runLoop(params(), host);

  expect(host.requests[1]).toMatchObject({
    toolUseContext: { model: 'other' },
    messages: { pending: [{ type: 'tool_result' }, ...bring('steering')] },
  });
});

test('a host that wants one more turn gets it, even if it brings nothing', async () => {
  const { toolUseContext } = params();
  const verdict = { type: 'proceed', messages: [], toolUseContext, again: true } as const;
  const host = hostWith([reply({ leaf: 'first' }), reply()], [verdict]);

  await runLoop(params(), host);

  expect(host.requests[1]?.messages).toEqual({ leaf: 'first', pending: [] });
});

test('a host that wants no further turn ends the query, results and taken messages kept', async () => {
  const host = hostWith([toolReply(call('a'))], [{ type: 'stop' }]);
  host.queued = ['heard'];

  const { terminal, end } = await runLoop(params(), host);

  expect(terminal).toEqual({ reason: 'hook_stopped' });
  expect(end.messages.pending).toMatchObject([
    { type: 'tool_result' },
    { type: 'message', messageId: 'heard' },
  ]);
});

test.each([
  ['every call', [ENDS, ENDS], 1],
  ['one of two calls', [ENDS, DONE], 2],
  ['one of two calls, the other failing', [ENDS, { type: 'failed', message: '' } as const], 2],
])('when %s wants no further reply', async (_, outcomes, requests) => {
  const left = [...outcomes];
  const deps = scriptedDeps([toolReply(call('a'), call('b')), reply()], {
    runTool: async () => left.shift()!,
  });

  const { terminal } = await runLoop(params(), deps);

  expect(deps.requests).toHaveLength(requests);
  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('the results of a batch that wants no further reply are still chained', async () => {
  const deps = scriptedDeps([toolReply(call('a'))], { runTool: async () => ENDS });

  const { end } = await runLoop(params(), deps);

  expect(end.messages).toMatchObject({ leaf: 'reply-leaf', pending: [{ type: 'tool_result' }] });
});

test('a turn that failed or was stopped is none of the host’s business', async () => {
  const failed = hostWith([reply({ apiError: 'overloaded' })]);
  const stopped = hostWith([
    async function* (deps) {
      deps.stop('user');
      return reply();
    },
  ]);

  await runLoop(params(), failed);
  await runLoop(params(), stopped);

  expect([...failed.turns, ...stopped.turns]).toEqual([]);
});

test('a reply that was cut off is no turn yet', async () => {
  const host = hostWith([truncated(), reply({ leaf: 'whole' })]);

  await runLoop(params(), host);

  expect(host.turns.map((turn) => turn.reply.leaf)).toEqual(['whole']);
});

test('a host that hears of each turn makes no tool round an end that Stop hooks hear of', async () => {
  const host = hostWith([{ ...toolReply(call('a')), hasStopHooks: true }, reply()]);

  await runLoop(params(), host);

  expect(host.positions).toEqual([]);
});

test('a batch that wants no further reply is no end that Stop hooks hear of either', async () => {
  const host = hostWith([{ ...toolReply(call('a')), hasStopHooks: true }]);
  host.runTool = () => Promise.resolve(ENDS);

  const { terminal } = await runLoop(params(), host);

  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(host.positions).toEqual([]);
});

test('messages for a turn over the limit are left to the host', async () => {
  const { toolUseContext } = params();
  const host = hostWith([reply()], [{ type: 'proceed', messages: bring('late'), toolUseContext }]);

  const { terminal } = await runLoop(params({ maxTurns: 1 }), host);

  expect(host.turns).toMatchObject([{ mayGoOn: false }]);
  expect(terminal).toEqual({ reason: 'max_turns', turnCount: 2 });
});

test('a batch that wants no further reply ends the loop if the host has nothing to add', async () => {
  const host = hostWith([toolReply(call('a'))]);
  host.runTool = () => Promise.resolve(ENDS);

  const { terminal } = await runLoop(params(), host);

  expect(host.turns).toMatchObject([{ willGoOn: false }]);
  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('a batch that wants no further reply gets one for what the host brings', async () => {
  const { toolUseContext } = params();
  const host = hostWith(
    [toolReply(call('a')), reply()],
    [{ type: 'proceed', messages: bring('follow-up'), toolUseContext }],
  );
  host.runTool = () => Promise.resolve(ENDS);

  await runLoop(params(), host);

  expect(host.requests[1]?.messages.pending).toMatchObject([
    { type: 'tool_result' },
    ...bring('follow-up'),
  ]);
});

test('what the host brought is kept if the query is stopped meanwhile', async () => {
  const { toolUseContext } = params();
  const host = hostWith([toolReply(call('a'))]);
  host.endTurn = async () => {
    host.stop('user');
    return { type: 'proceed', messages: bring('follow-up'), toolUseContext };
  };

  const { terminal, end } = await runLoop(params(), host);

  expect(terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
  expect(end.messages.pending.slice(1)).toEqual([
    ...bring('follow-up'),
    { type: 'interruption', during: 'tools' },
  ]);
});
