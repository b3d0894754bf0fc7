import { queryLoop } from '../../src/loop/query-loop';
import type { QueryParams } from '../../src/loop/query-params';
import { fromStoredState } from '../../src/loop/migrate-state';
import { STATE_VERSION, type State } from '../../src/loop/state';
import type { Terminal } from '../../src/loop/terminal';
import {
  call,
  DONE,
  params,
  reply,
  runLoop,
  safeCall,
  scriptedDeps,
  toolReply,
  truncated,
  type ScriptedDeps,
} from './builders';

const capped = { gates: { streamingToolExecution: true, cappedOutput: true } };

/** Takes every transition that the loop can make today, some of them twice. */
const scripted = (): ScriptedDeps =>
  scriptedDeps(
    [
      truncated(),
      truncated(),
      toolReply(call('cd'), safeCall('a')),
      toolReply(safeCall('b'), safeCall('c')),
      truncated(),
      truncated(),
      reply(),
    ],
    async ({ toolUse }, deps) => {
      deps.queued.push(`while-${toolUse.id}`);
      return toolUse.id === 'cd' ? { ...DONE, workingDirectory: '/moved' } : DONE;
    },
  );

/** Gives the loop up at every transition and goes on from what a rollover carries, through JSON. */
async function runWithRollovers(
  queryParams: QueryParams,
  deps: ScriptedDeps,
): Promise<{ readonly terminal: Terminal; readonly rollovers: number }> {
  let carry = queryParams.carry;
  for (let rollovers = 0; ; rollovers += 1) {
    const state = await nextTransition({ ...queryParams, carry }, deps);
    if ('reason' in state) return { terminal: state, rollovers };
    carry = { state: fromStoredState(STATE_VERSION, JSON.parse(JSON.stringify(state))) };
  }
}

async function nextTransition(
  queryParams: QueryParams,
  deps: ScriptedDeps,
): Promise<State | Terminal> {
  for await (const event of queryLoop(queryParams, deps)) {
    if (event.type === 'transition') return event.state;
    if (event.type === 'end') return event.terminal;
  }
  throw new Error('The loop ended without saying how.');
}

test('a loop that rolls over at every transition makes the requests of one that never does', async () => {
  const unbroken = scripted();
  const whole = await runLoop(params(capped), unbroken);

  const broken = scripted();
  const inParts = await runWithRollovers(params(capped), broken);

  expect(broken.requests).toEqual(unbroken.requests);
  expect(broken.toolCalls).toEqual(unbroken.toolCalls);
  expect(inParts).toEqual({ terminal: whole.terminal, rollovers: whole.states.length });
  expect(new Set(whole.states.map(({ transition }) => transition?.reason))).toEqual(
    new Set(['max_output_tokens_escalate', 'max_output_tokens_recovery', 'next_turn']),
  );
});

test('ladders stay bounded when the loop rolls over at every transition', async () => {
  const deps = scriptedDeps(Array.from({ length: 20 }, () => truncated()));

  const { terminal, rollovers } = await runWithRollovers(params(capped), deps);

  expect(terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
  expect(rollovers).toBe(4);
});
