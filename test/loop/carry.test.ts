import { queryLoop } from '../../src/loop/query-loop';
import type { Carry, QueryParams } from '../../src/loop/query-params';
import { fromStoredState } from '../../src/loop/migrate-state';
import { STATE_VERSION } from '../../src/loop/state';
import type { Terminal } from '../../src/loop/terminal';
import {
  call,
  compacted,
  DONE,
  FULL,
  gates,
  params,
  reply,
  safeCall,
  toolReply,
  tooLong,
  truncated,
  usageOf,
} from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps, type ScriptedDeps } from './scripted-deps';

const capped = { gates: gates({ cappedOutput: true }) };
const everything = {
  gates: gates({
    cappedOutput: true,
    contextCollapse: true,
    tokenBudget: true,
    toolUseSummaries: true,
  }),
  tokenBudget: 10_000,
  taskBudget: 300_000,
};

/** Takes each of the seven transitions, some of them twice. */
const scripted = (): ScriptedDeps =>
  scriptedDeps(
    [
      tooLong(),
      tooLong(),
      truncated(),
      truncated(),
      toolReply(call('cd'), safeCall('a')),
      reply({ hasStopHooks: true }),
      FULL,
      reply({ hasStopHooks: true, usage: usageOf({ output_tokens: 1_000 }) }),
      toolReply(safeCall('b'), safeCall('c')),
      truncated(),
      reply({ hasStopHooks: true, usage: usageOf({ output_tokens: 9_000 }) }),
    ],
    {
      drains: [{ leaf: 'drained', committed: 1 }],
      compactions: [
        compacted('first', { contextTokens: 120_000 }),
        compacted('second', { contextTokens: 80_000 }),
      ],
      verdicts: [{ type: 'blocked', leaf: 'feedback' }, { type: 'passed' }, { type: 'passed' }],
      labels: { 'label-1': 'Moved', 'label-2': 'Read' },
      async runTool({ toolUse }, deps) {
        deps.queued.push(`while-${toolUse.id}`);
        return toolUse.id === 'cd' ? { ...DONE, workingDirectory: '/moved' } : DONE;
      },
    },
  );

/** Gives the loop up at every transition and goes on from what a rollover carries, through JSON. */
async function runWithRollovers(
  queryParams: QueryParams,
  deps: ScriptedDeps,
): Promise<{ readonly terminal: Terminal; readonly rollovers: number }> {
  let carry = queryParams.carry;
  for (let rollovers = 0; ; rollovers += 1) {
    const left = await nextTransition({ ...queryParams, carry }, deps);
    if ('reason' in left) return { terminal: left, rollovers };
    const { state, locals } = JSON.parse(JSON.stringify(left)) as Carry;
    carry = { state: fromStoredState(STATE_VERSION, state), locals };
  }
}

async function nextTransition(
  queryParams: QueryParams,
  deps: ScriptedDeps,
): Promise<Carry | Terminal> {
  for await (const event of queryLoop(queryParams, deps)) {
    if (event.type === 'transition') return event;
    if (event.type === 'end') return event.terminal;
  }
  throw new Error('The loop ended without saying how.');
}

test('a loop that rolls over at every transition asks its host for the same as one that never does', async () => {
  const unbroken = scripted();
  const whole = await runLoop(params(everything), unbroken);

  const broken = scripted();
  const inParts = await runWithRollovers(params(everything), broken);

  expect(broken.requests).toEqual(unbroken.requests);
  expect(broken.toolCalls).toEqual(unbroken.toolCalls);
  expect(broken.compactRequests).toEqual(unbroken.compactRequests);
  expect(broken.positions).toEqual(unbroken.positions);
  expect(broken.labelled).toEqual(unbroken.labelled);
  expect(inParts).toEqual({ terminal: whole.terminal, rollovers: whole.states.length });
});

test('the run that is rolled over takes each of the seven transitions', async () => {
  const run = await runLoop(params(everything), scripted());

  expect(new Set(reasonsOf(run))).toEqual(
    new Set([
      'collapse_drain_retry',
      'reactive_compact_retry',
      'max_output_tokens_escalate',
      'max_output_tokens_recovery',
      'next_turn',
      'stop_hook_blocking',
      'token_budget_continuation',
    ]),
  );
});

test('ladders stay bounded when the loop rolls over at every transition', async () => {
  const deps = scriptedDeps(Array.from({ length: 20 }, () => truncated()));

  const { terminal, rollovers } = await runWithRollovers(params(capped), deps);

  expect(terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
  expect(rollovers).toBe(4);
});
