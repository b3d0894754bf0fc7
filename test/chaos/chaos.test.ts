// Needs: the built program (npm run build); starts a Temporal server of its own and processes, and kills those.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChaosReport } from '../../src/chaos/chaos';

const MAIN = join(__dirname, '..', '..', 'dist', 'chaos', 'main.js');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-chaos-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The long version is `npm run chaos`. */
test('sessions whose Workers and server are killed and stopped at random all end right', async () => {
  const json = join(folder, 'report.json');
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch);
  const args = ['--minutes', '0.3', '--sessions', '5', '--seed', '15', '--json', json];
  const said = await new Promise<string>((resolve) => {
    const env = { ...process.env, TMPDIR: scratch };
    execFile(process.execPath, [MAIN, ...args], { env }, (_error, stdout, stderr) =>
      resolve(stderr + stdout),
    );
  });
  process.stdout.write(`${said}\n`);

  const report = JSON.parse(readFileSync(json, 'utf8')) as ChaosReport;
  const { sessions, troubles, violations } = report;
  expect(violations).toEqual([]);
  expect(sessions).toBeGreaterThanOrEqual(5);
  expect(Object.values(troubles).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  expect(readdirSync(scratch).filter((name) => name.startsWith('everloop-chaos-'))).toEqual([]);
}, 600_000);
