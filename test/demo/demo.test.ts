// Needs: a Temporal server (started by the run) and the build (npm run build).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalAddress } from '../support/temporal';

const MAIN = join(__dirname, '..', '..', 'dist', 'demo', 'main.js');

interface Demo {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** Its temporary folders are made in here. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function startDemo(environment: Readonly<Record<string, string>>): Demo {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, HOME, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { process: child, output: () => output, ended };
}

/** On the server of this run, whose place the demo finds in its home. */
function startDemoOnServer(): Demo {
  temporalAddress();
  return startDemo({ EVERLOOP_HOME: process.env['EVERLOOP_TEST_SERVER_HOME']! });
}

const stillRunning = (output: string): readonly number[] =>
  [...output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid)).filter(isRunning);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('the Worker is killed, the agent finishes its work, and nothing is left behind', async () => {
  const demo = startDemoOnServer();

  const exitCode = await demo.ended;

  expect(demo.output()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/\S+/);
  expect(demo.output()).toMatch(/turn 1 +Bash node sum\.test\.js → exit 1/);
  expect(demo.output()).toMatch(/Worker 1 +KILLED/);
  expect(demo.output()).toMatch(/Worker 2 +goes on \d/);
  expect(demo.output()).toMatch(/turn 4 +Bash sleep 4 && node sum\.test\.js → exit 0/);
  expect(demo.output().match(/✓/g)).toHaveLength(7);
  expect(exitCode).toBe(0);
  expect(stillRunning(demo.output())).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a demo that is stopped ends its processes and says so', async () => {
  const demo = startDemoOnServer();
  const said = () => Promise.race([once(demo.process.stdout!, 'data'), demo.ended]);
  while (!demo.output().includes('turn 1') && demo.process.exitCode === null) await said();

  demo.process.kill('SIGTERM');

  expect(await demo.ended).toBe(1);
  expect(demo.output()).toContain('Stopped by SIGTERM');
  expect(stillRunning(demo.output())).toEqual([]);
});

test('without a Temporal server the demo fails and names the cure', async () => {
  const demo = startDemo({
    EVERLOOP_HOME: join(folder, 'home'),
    EVERLOOP_TEMPORAL_CLI: '/no/temporal',
  });

  expect(await demo.ended).toBe(1);
  expect(demo.output()).toContain('EVERLOOP_TEMPORAL_CLI is /no/temporal');
});
