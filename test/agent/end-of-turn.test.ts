import type { LoopDeps } from '../../src/loop/deps';
import { call, params, reply, toolReply } from '../loop/builders';
import { runLoop } from '../loop/run-loop';
import { scriptedDeps } from '../loop/scripted-deps';

const bring = (messageId: string) => [{ type: 'message', messageId } as const];

test('messages that a host brings as the query is stopped are kept beside the results', async () => {
  const deps = scriptedDeps([toolReply(call('a'))]);
  const endTurn: LoopDeps['endTurn'] = async ({ toolUseContext }) => {
    deps.stop('user');
    return { type: 'proceed', messages: bring('late'), toolUseContext };
  };

  const { terminal, end } = await runLoop(params(), Object.assign(deps, { endTurn }));

  expect(terminal).toMatchObject({ reason: 'aborted_tools' });
  expect(end.messages.pending).toMatchObject([
    { type: 'tool_result' },
    { type: 'message', messageId: 'late' },
    { type: 'interruption' },
  ]);
});

test.each([
  ['the last one that may be', 1, false],
  ['followed by others', 2, true],
])('a host is told whether a turn is %s', async (_which, maxTurns, mayGoOn) => {
  const told: boolean[] = [];
  const endTurn: LoopDeps['endTurn'] = async ({ mayGoOn: may, toolUseContext }) => {
    told.push(may);
    return { type: 'proceed', messages: [], toolUseContext };
  };
  const deps = Object.assign(scriptedDeps([toolReply(call('a')), reply()]), { endTurn });

  await runLoop(params({ maxTurns }), deps);

  expect(told[0]).toBe(mayGoOn);
});
