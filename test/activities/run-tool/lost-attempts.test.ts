import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { until } from '../../tools/shell/until';
import { defineTool, type Tool } from '../../../src/tools/tool';
import { bash, call, called, recorded, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const bypass = 'bypassPermissions';
const inWorkspace = (name: string): string => path.join(at.workspace, name);
const linesOf = (name: string): Promise<string> =>
  readFile(inWorkspace(name), 'utf8').catch(() => '');

/** A tool that counts its runs; the first one ends in a lost Worker if it says so. */
function counting(effect: Tool['effect'], losesFirst: boolean): { tool: Tool; runs: () => number } {
  let runs = 0;
  const tool = defineTool({
    name: 'Count',
    description: '',
    inputSchema: z.strictObject({}),
    effect,
    summarize: () => 'count',
    call: async () => {
      runs += 1;
      if (losesFirst && runs === 1) await new Promise(() => undefined);
      return { content: `run ${runs}`, structured: null };
    },
  });
  return { tool, runs: () => runs };
}

test('a result that was recorded and not reported is adopted and told again; the tool does not run twice', async () => {
  const { tool, runs } = counting('unknown', false);
  const deps = { tools: [tool] };
  at = await called([call('Count', {})], { worker: deps });
  const attempt = at.attempt();
  const first = await run(at, at.worker(deps), { attempt, mode: bypass });

  const successor = at.worker(deps);
  const second = await run(at, successor, { attempt: attempt.next(), mode: bypass });

  expect(second).toEqual(first);
  expect(runs()).toBe(1);
  const { record } = (await recorded(at, successor))!;
  expect((await successor.log()).at(-1)).toMatchObject({ type: 'record', record });
});

test('a denial that was not reported is adopted as one', async () => {
  at = await called([bash('touch made')]);
  const attempt = at.attempt();
  const first = await run(at, at.worker(), { attempt });

  const second = await run(at, at.worker(), { attempt: attempt.next(), mode: bypass });

  expect(second).toEqual(first);
});

test.each<[Tool['effect'], string, number]>([
  ['rerun', 'runs again', 2],
  ['unknown', 'is reported as unknown and does not run', 1],
])('a call with effect "%s" that was under way %s', async (effect, _claim, expected) => {
  const { tool, runs } = counting(effect, true);
  const deps = { tools: [tool] };
  at = await called([call('Count', {})], { worker: deps });
  const attempt = at.attempt();
  void run(at, at.worker(deps), { attempt, mode: bypass });
  await until(() => runs() === 1);

  const successor = at.worker(deps);
  const outcome = await run(at, successor, { attempt: attempt.next(), mode: bypass });

  expect(runs()).toBe(expected);
  expect(outcome).toEqual({ type: 'done', isError: effect === 'unknown' });
  const text = await textOf(at, successor);
  expect(text).toMatch(effect === 'unknown' ? /^Outcome unknown: / : /^run 2$/);
});

test('a command that is under way is waited for by the next attempt', async () => {
  at = await called([
    bash('echo started >> log; until test -e go; do sleep 0.02; done; echo done'),
  ]);
  const attempt = at.attempt();
  const losing = run(at, at.worker(), { attempt, mode: bypass });
  await until(async () => (await linesOf('log')) !== '');
  attempt.end(new Error('shutdown'));
  await expect(losing).rejects.toThrow('shutdown');

  const successor = at.worker();
  const retried = run(at, successor, { attempt: attempt.next(), mode: bypass });
  await writeFile(inWorkspace('go'), '');
  await retried;

  expect(await textOf(at, successor)).toBe('done');
  expect(await linesOf('log')).toBe('started\n');
});

test('what was allowed once is not asked again: the next attempt goes on', async () => {
  const { tool, runs } = counting('rerun', true);
  const deps = { tools: [tool] };
  at = await called([call('Count', {})], { worker: deps });
  const attempt = at.attempt();
  void run(at, at.worker(deps), { attempt, mode: bypass });
  await until(() => runs() === 1);

  const outcome = await run(at, at.worker(deps), { attempt: attempt.next(), mode: 'default' });

  expect(outcome).toEqual({ type: 'done', isError: false });
});
