import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { withServerLock } from '../../src/server/server-lock';
import { kill } from '../support/kill';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-lock-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that runs `body` with `withServerLock`, `folder` and `fs` in scope. */
function inOwnProcess(body: string): ChildProcess {
  const lock = JSON.stringify(require.resolve('../../src/server/server-lock'));
  const script = `const fs = require('node:fs/promises'); const folder = ${JSON.stringify(folder)};
    const { withServerLock } = require(${lock}); (async () => { ${body} })();`;
  return spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Reads, waits, writes: two at once would lose a step. */
const COUNT_UP = `for (let i = 0; i < 15; i++) await withServerLock(folder, async () => {
  const counted = Number(await fs.readFile(folder + '/counter', 'utf8'));
  await new Promise((resolve) => setTimeout(resolve, 1));
  await fs.writeFile(folder + '/counter', String(counted + 1));
});`;

async function killedWhileHolding(): Promise<void> {
  const holder = inOwnProcess(
    "await withServerLock(folder, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });",
  );
  await once(holder.stdout!, 'data');
  await kill(holder);
}

test('processes that compete run one at a time, and leave one ticket', async () => {
  await writeFile(join(folder, 'counter'), '0');
  const processes = [1, 2, 3].map(() => inOwnProcess(COUNT_UP));

  const codes = await Promise.all(processes.map((child) => once(child, 'exit')));

  expect(codes.map(([code]) => code as number)).toEqual([0, 0, 0]);
  expect(await readFile(join(folder, 'counter'), 'utf8')).toBe('45');
  expect(await readdir(folder)).toEqual(['counter', 'lock.45']);
});

test('processes that compete after a crashed holder still run one at a time', async () => {
  await writeFile(join(folder, 'counter'), '0');
  await killedWhileHolding();
  const processes = [1, 2, 3].map(() => inOwnProcess(COUNT_UP));

  await Promise.all(processes.map((child) => once(child, 'exit')));

  expect(await readFile(join(folder, 'counter'), 'utf8')).toBe('45');
});

test('the lock of a process that died is taken at once', async () => {
  await killedWhileHolding();

  const answer = await withServerLock(folder, async () => 'mine', 0);

  expect(answer).toBe('mine');
});

test('a ticket of another process that had our pid does not block', async () => {
  await writeFile(join(folder, 'lock.7'), `${process.pid}@1`);

  const answer = await withServerLock(folder, async () => readdir(folder), 0);

  expect(answer).toEqual(['lock.8']);
});

test('a holder that lives too long is named', async () => {
  const attempt = withServerLock(folder, () => withServerLock(folder, async () => 'never', 0));

  await expect(attempt).rejects.toMatchObject({
    code: 'lock_busy',
    message: expect.stringContaining(`Process ${process.pid} `) as string,
  });
});

test('an action that fails lets go of the lock', async () => {
  const failed = withServerLock(folder, () => Promise.reject(new Error('boom')));

  await expect(failed).rejects.toThrow('boom');
  expect(await withServerLock(folder, async () => 'mine', 0)).toBe('mine');
});
