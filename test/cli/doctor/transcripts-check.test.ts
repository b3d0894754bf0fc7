import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transcriptsCheck } from '../../../src/cli/doctor/transcripts-check';
import type { LeaseOwner } from '../../../src/transcript/store';
import { createFileStore } from '../../../src/transcript/files/file-store';
import { userRecord } from '../../support/fake-session';

const OWNER: LeaseOwner = { workerId: 'w', host: 'h', socket: '/none' };
const SESSION = '11111111-2222-4333-8444-555555555555';
let folder: string;

const openStore = async () =>
  createFileStore({ home: join(folder, 'home'), projectsFolder: join(folder, 'projects') });

/** A session whose transcript has a line that nobody can read; returns the transcript's path. */
async function damagedSession(): Promise<string> {
  const store = await openStore();
  const session = await store.createSession({
    sessionId: SESSION,
    cwd: folder,
    taskQueue: 'queue',
    createdAt: '2026-01-01T00:00:00Z',
    fingerprint: { baseUrl: 'https://api.example.com', credentials: 'none' },
    persistent: true,
  });
  const lease = await session.acquireLease(OWNER, async () => false);
  await session.append(lease, 'key', [{ ...userRecord({ content: 'hi' }), sessionId: SESSION }]);
  await session.releaseLease(lease);
  await store.close();
  const text = await readFile(session.transcriptPath, 'utf8');
  await writeFile(session.transcriptPath, `{"type":"us\n${text}`);
  return session.transcriptPath;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-transcripts-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('no session is no damage', async () => {
  expect((await transcriptsCheck(openStore).run(false)).cure).toBeNull();
});

test('a damaged transcript is named and left alone', async () => {
  const path = await damagedSession();
  const before = await readFile(path, 'utf8');

  const { detail, cure } = await transcriptsCheck(openStore).run(false);

  expect(detail).toContain('1 of 1');
  expect(cure).toContain('doctor --repair');
  expect(await readFile(path, 'utf8')).toBe(before);
});

test('--repair makes it readable again', async () => {
  await damagedSession();

  expect((await transcriptsCheck(openStore).run(true)).cure).toBeNull();
  expect((await transcriptsCheck(openStore).run(false)).cure).toBeNull();
});
