import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { has, runLooks, untilSo, type Checked } from './checked';
import type { Parts } from './cluster';
import { MARK } from './leftovers';
import { ROOT } from './shape';

const execute = promisify(execFile);

/** Longer than anything takes that works, on a machine that has much else to do. */
const COMMAND_WITHIN_MS = 120_000;
const LISTED_WITHIN_MS = 30_000;
const BENCH_WITHIN_MS = 30 * 60_000;

/** Works with the cluster as people do, by commands, and measures turns. Prints a line for each look and one at the
 *  end; returns how many failed. Needs the build, and the scripted model for Workers and commands. */
export async function checkCluster(
  { variables }: Parts,
  options: {
    readonly folder: string;
    readonly turns: number;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly print: (line: string) => void;
  },
): Promise<number> {
  const { folder, turns, environment, print } = options;
  const workspace = join(folder, 'workspaces', 'check');
  mkdirSync(workspace, { recursive: true });
  const env = { ...environment, ...variables, [MARK]: folder };
  const everloop = async (args: readonly string[], home = 'worker-1'): Promise<string> => {
    const { stdout } = await execute(process.execPath, [join(ROOT, 'bin/everloop'), ...args], {
      cwd: workspace,
      env: { ...env, EVERLOOP_HOME: join(folder, home, '.everloop') },
      timeout: COMMAND_WITHIN_MS,
    });
    return stdout;
  };
  const measured = { turnMs: Number.NaN, emptyMs: Number.NaN };
  let background = '';
  const looks: readonly Checked[] = [
    {
      claim: 'doctor finds nothing wrong',
      look: async () => has(await everloop(['doctor']), 'Store: everloop'),
    },
    {
      claim: 'a prompt is answered by a Worker of its own command',
      look: async () =>
        has(await everloop(['-p', 'Say where you are.', ...ALLOWED]), `Here: ${workspace}`),
    },
    {
      claim: 'a background session begins',
      look: async () =>
        (background = (await everloop(['run', '--detach', 'Wait a moment.', ...ALLOWED])).trim()),
    },
    {
      claim: 'attach follows it to its answer',
      look: async () => has(await everloop(['attach', background]), 'I have waited'),
    },
    {
      claim: 'ls finds it by a search attribute',
      look: async () => {
        const query = `WorkflowType = "query" AND EverloopWorkspace = "${workspace}"`;
        // The list of a server may be a moment behind.
        const found = async () =>
          has(await everloop(['ls', '--json', '--query', query]), background);
        return untilSo(found, LISTED_WITHIN_MS);
      },
    },
    {
      claim: 'another home of the store reads what was said',
      look: async () => has(await everloop(['logs', background], 'worker-2'), 'I have waited'),
    },
    {
      claim: 'turns can be measured',
      look: async () => {
        Object.assign(measured, await measureTurns(env, folder, turns));
        return `${measured.turnMs} ms a turn, ${measured.emptyMs} ms an empty loop`;
      },
    },
  ];
  const failed = await runLooks(looks, print);
  const [load = 0] = loadavg();
  print(
    `cluster: ${looks.length - failed} of ${looks.length} as it should be; ${measured.turnMs} ms a turn (median of ${turns} one-tool turns, thrice), ${measured.emptyMs} ms for an empty loop on the same server; load ${load.toFixed(1)}`,
  );
  return failed;
}

const ALLOWED = ['--allowed-tools', 'Bash'] as const;

const Report = z.object({
  sections: z.array(
    z.object({ figures: z.array(z.object({ name: z.string(), median: z.number() })) }),
  ),
});

async function measureTurns(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  turns: number,
): Promise<{ readonly turnMs: number; readonly emptyMs: number }> {
  const json = join(folder, 'turns.json');
  const only = ['--quick', '--only', 'turns', '--turns', String(turns), '--json', json];
  await execute(process.execPath, [join(ROOT, 'dist/bench/main.js'), ...only], {
    env: { ...env },
    timeout: BENCH_WITHIN_MS,
  });
  const { sections } = Report.parse(JSON.parse(readFileSync(json, 'utf8')));
  const medianOf = (name: string): number => {
    const figure = sections.flatMap(({ figures }) => figures).find((each) => each.name === name);
    return Number(figure?.median.toPrecision(3) ?? Number.NaN);
  };
  return {
    turnMs: medianOf(`${turns} turns: time a turn`),
    emptyMs: medianOf(`${turns} turns: empty loop, time a turn`),
  };
}
