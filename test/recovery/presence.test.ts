import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { announce, isAlive, isStopped } from '../../src/recovery/presence';
import type { LeaseOwner } from '../../src/transcript/store';
import { kill } from '../support/kill';
import { transpiled } from '../support/transpiled';

let child: ChildProcess | undefined;
let owner: LeaseOwner;
afterEach(async () => {
  if (child !== undefined) await kill(child);
  // What a killed process leaves behind.
  rmSync(owner.socket, { force: true });
});

async function startProcess(): Promise<ChildProcess> {
  const script = transpiled(join(__dirname, 'announcing.ts'));
  const started = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  for await (const line of createInterface({ input: started.stdout })) {
    owner = JSON.parse(line) as LeaseOwner;
    return started;
  }
  throw new Error('The process left without announcing itself.');
}

test('a process that serves answers', async () => {
  await startProcess();

  expect(await isAlive(owner)).toBe(true);
});

test('a killed one does not, though its socket is still there', async () => {
  const started = await startProcess();
  await kill(started);

  expect(existsSync(owner.socket)).toBe(true);
  expect(await isAlive(owner)).toBe(false);
});

test('a stopped one counts as dead, and as alive when it goes on', async () => {
  const started = await startProcess();
  started.kill('SIGSTOP');

  const whileStopped = await isAlive(owner);
  const isThere = await isStopped(owner);
  started.kill('SIGCONT');

  expect(whileStopped).toBe(false);
  expect(isThere).toBe(true);
  expect(await isAlive(owner)).toBe(true);
});

test('one that has too much to do counts as alive: the system says that it runs', async () => {
  const started = await startProcess();
  // It is busy for longer than a process that nobody can ask about would be waited for.
  started.kill('SIGUSR2');

  expect(await isAlive(owner)).toBe(true);
});

test('one that leaves in order takes its socket away', async () => {
  const presence = await announce();
  owner = presence.owner;
  const wasAlive = await isAlive(owner);

  presence.close();

  expect(wasAlive).toBe(true);
  expect(existsSync(owner.socket)).toBe(false);
  expect(await isAlive(owner)).toBe(false);
});

test('nobody else may connect', async () => {
  const presence = await announce();
  owner = presence.owner;

  const mode = statSync(owner.socket).mode & 0o777;
  presence.close();

  expect(mode).toBe(0o600);
  expect(owner.socket.length).toBeLessThan(108);
});

test('a process of another host counts as alive: it cannot be asked', async () => {
  owner = { workerId: 'far', host: 'elsewhere.invalid', socket: '/nowhere' };

  expect(await isAlive(owner)).toBe(true);
});
