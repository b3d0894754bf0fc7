import { Locals } from '../../src/loop/locals';
import {
  compacted,
  FULL,
  params,
  reply,
  safeCall,
  toolReply,
  tooLong,
  usedLocals,
} from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const budgeted = params({ taskBudget: 300_000 });

test('each request names the budget, and none of it as left before a compaction', async () => {
  const deps = scriptedDeps([toolReply(safeCall('a')), reply()]);

  await runLoop(budgeted, deps);

  expect(deps.requests.map(({ taskBudget }) => taskBudget)).toEqual([
    { total: 300_000 },
    { total: 300_000 },
  ]);
});

test.each([
  ['proactive', [FULL, reply()]],
  ['reactive', [tooLong(), reply()]],
] as const)('after a %s compaction what it replaced is spent', async (_kind, steps) => {
  const deps = scriptedDeps(steps, {
    compactions: [compacted('summary', { contextTokens: 120_000 + 100 })],
  });

  await runLoop(budgeted, deps);

  expect(deps.requests.at(-1)?.taskBudget).toEqual({ total: 300_000, remaining: 179_900 });
});

test('each compaction takes its share, down to nothing', async () => {
  const compactions = [200_000, 60_000, 90_000].map((contextTokens) =>
    compacted('summary', { contextTokens }),
  );
  const rounds = [0, 1].flatMap(() => [FULL, toolReply(safeCall('a'))]);
  const deps = scriptedDeps([...rounds, FULL, reply()], { compactions });

  await runLoop(budgeted, deps);

  const left = deps.requests.flatMap(({ room, taskBudget }) =>
    room === 'just_compacted' ? [taskBudget?.remaining] : [],
  );
  expect(left).toEqual([100_000, 40_000, 0]);
});

test('without a budget no request names one', async () => {
  const deps = scriptedDeps([FULL, reply()], {
    compactions: [compacted('summary', { contextTokens: 1_000 })],
  });

  const run = await runLoop(params(), deps);

  expect(deps.requests.every((request) => !('taskBudget' in request))).toBe(true);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(Locals.afterCompaction(usedLocals(), params(), 1_000)).toEqual(usedLocals());
});
