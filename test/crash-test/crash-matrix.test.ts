// Needs: the built program (npm run build); starts a Temporal server, Worker processes, and kills those.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashReport } from '../../src/crash-test/report';

const ROOT = join(__dirname, '..', '..');
const LAUNCHER = join(ROOT, 'bin', 'everloop');
const MATRIX = join(ROOT, 'examples', 'crash-matrix.json');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-crash-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs `everloop crash-test`, with everything temporary in a folder of the test's own. */
async function crashTest(script: string, ...args: readonly string[]) {
  const json = join(folder, 'report.json');
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { recursive: true });
  const all = ['crash-test', script, ...args, '--json', json];
  const { code, stdout, stderr } = await new Promise<Ended>((resolve) => {
    execFile(LAUNCHER, all, { env: { ...process.env, TMPDIR: scratch } }, (...ended) => {
      const [error, out, err] = ended;
      resolve({ code: Number(error?.code ?? 0), stdout: out, stderr: err });
    });
  });
  process.stdout.write(`${stdout}\n`);
  const report = JSON.parse(readFileSync(json, 'utf8')) as CrashReport;
  return { code, stdout, stderr, report, left: leftIn(scratch) };
}

/** Of its own folders. */
const leftIn = (scratch: string): readonly string[] =>
  readdirSync(scratch).filter((name) => name.startsWith('everloop-crash-'));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The full matrix is `npm run crash-matrix`. */
test('a Worker killed at every tenth place of the reference run loses nothing and does nothing twice', async () => {
  const args = ['--every', '10', '--events', '--random', '50', '--seed', '5'];
  const { code, report, stdout, left } = await crashTest(MATRIX, ...args);

  const { totals, runs, undisturbed } = report;
  const broken = runs.filter(({ violations }) => violations.length > 0);
  expect(broken).toEqual([]);
  expect({ code, left }).toEqual({ code: 0, left: [] });
  expect(stdout).toContain('Every promise was kept.');
  expect(undisturbed).toMatchObject({ modelCalls: 7, effects: { line: 1 } });
  expect(totals.failpoint.kills).toBeGreaterThan(30);
  expect(totals.event.kills).toBeGreaterThan(5);
  const unknown = runs.filter((run) => run.unknown.length > 0);
  expect(unknown.length).toBeLessThanOrEqual(runs.length * 0.02);
}, 1_800_000);

/** It appends, and says that it may simply be run again. */
const LIAR = `
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const { z } = require(${JSON.stringify(require.resolve('zod'))});
const { defineAgent, defineTool } = require(${JSON.stringify(join(ROOT, 'dist', 'agent'))});
const order = defineTool({
  name: 'Order',
  description: 'Orders fruit.',
  inputSchema: z.strictObject({ fruit: z.string() }),
  summarize: ({ fruit }) => fruit,
  effect: 'rerun',
  call: async ({ fruit }, { workingDirectory }) => {
    appendFileSync(join(workingDirectory, 'orders'), fruit + '\\n');
    return { content: 'Ordered.', structured: null };
  },
});
module.exports = {
  prompts: ['Order apples.'],
  options: { agent: 'clerk', permissionMode: 'bypassPermissions' },
  agents: [defineAgent({ name: 'clerk', tools: [order] })],
  effects: ['orders'],
  conversations: [
    {
      replies: [
        { content: [{ type: 'tool_use', name: 'Order', input: { fruit: 'apples' } }] },
        { content: [{ type: 'text', text: 'Done.' }] },
      ],
    },
  ],
};`;

test('a tool that is wrong about itself is found out: exit 1, the effect, and the command that shows it again', async () => {
  const script = join(folder, 'liar.cjs');
  writeFileSync(script, LIAR);

  const args = ['--only', 'failpoint:tool.ran:1', 'failpoint:tool.result:1'];
  const { code, stdout, report } = await crashTest(script, ...args);

  expect(code).toBe(1);
  expect(report.totals.failpoint).toMatchObject({ kills: 2, violations: 1 });
  expect(stdout).toContain('effect twice: "apples" happened 2 times instead of 1');
  expect(stdout).toContain(`everloop crash-test ${script} --only failpoint:tool.ran:1`);
}, 300_000);
