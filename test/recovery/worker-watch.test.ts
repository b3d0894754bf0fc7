import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { announce, type Presence } from '../../src/recovery/presence';
import { createRunNotes } from '../../src/recovery/run-notes';
import { watchWorkers, type WorkerWatch } from '../../src/recovery/worker-watch';
import type { LeaseOwner } from '../../src/transcript/store';
import { kill } from '../support/kill';
import { transpiled } from '../support/transpiled';

let home: string;
let self: Presence;
let child: ChildProcess | undefined;
let watch: WorkerWatch | undefined;
const leftBehind: string[] = [];
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'everloop-watch-'));
  self = await announce();
});
afterEach(async () => {
  watch?.stop();
  self.close();
  if (child !== undefined) await kill(child);
  for (const socket of leftBehind.splice(0)) rmSync(socket, { force: true });
  rmSync(home, { recursive: true });
});

/** A process that announces itself and has notes, as a Worker has. */
async function startOther(): Promise<LeaseOwner> {
  const script = transpiled(join(__dirname, 'announcing.ts'));
  child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const owner = JSON.parse(line) as LeaseOwner;
  leftBehind.push(owner.socket);
  createRunNotes(home, owner);
  return owner;
}

/** Resolves with the time of the first loss. */
function firstLoss(): Promise<number> {
  return new Promise((resolve) => {
    watch = watchWorkers({ home, self: self.owner }, () => resolve(Date.now()));
  });
}

test('the death of a Worker is told as it happens', async () => {
  await startOther();
  const loss = firstLoss();

  const killedAtMs = Date.now();
  child?.kill('SIGKILL');

  expect((await loss) - killedAtMs).toBeLessThan(5_000);
});

test('a Worker that is stopped is found by asking, since its sockets live on', async () => {
  await startOther();
  const loss = firstLoss();

  child?.kill('SIGSTOP');

  await expect(loss).resolves.toEqual(expect.any(Number));
  child?.kill('SIGCONT');
}, 180_000);

test('a Worker that leaves in order is told', async () => {
  const other = await announce();
  const notes = createRunNotes(home, other.owner);
  const loss = firstLoss();

  notes.clear();

  await expect(loss).resolves.toEqual(expect.any(Number));
  other.close();
});

test('a Worker that begins after the watch is watched too', async () => {
  const loss = firstLoss();
  await startOther();

  child?.kill('SIGKILL');

  await expect(loss).resolves.toEqual(expect.any(Number));
});

test('its own notes are no concern of a Worker', async () => {
  const notes = createRunNotes(home, self.owner);
  let losses = 0;
  watch = watchWorkers({ home, self: self.owner }, () => (losses += 1));

  notes.clear();
  await new Promise((resolve) => setTimeout(resolve, 1_200));

  expect(losses).toBe(0);
});
