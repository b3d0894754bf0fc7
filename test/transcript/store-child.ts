// A process of its own for the tests of the file store; it is told what to do by messages.
import { createFileStore } from '../../src/transcript/files/file-store';
import type { Lease, SessionStore } from '../../src/transcript/store';
import { attemptOf, owner, user } from './builders';

export interface ChildTask {
  readonly run: 'acquire' | 'append_for_ever' | 'append_until_full' | 'follow';
  readonly home: string;
  readonly projectsFolder: string;
  readonly sessionId: string;
}

export type ChildReport =
  | { readonly type: 'acquired'; readonly epoch: number }
  | { readonly type: 'appended'; readonly uuid: string }
  | { readonly type: 'followed'; readonly attempt: number; readonly atMs: number }
  | { readonly type: 'following' }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

function report(what: ChildReport): void {
  process.send?.(what);
}

async function run(task: ChildTask): Promise<void> {
  const session = await createFileStore(task).openSession(task.sessionId);
  if (session === undefined) throw new Error(`No session ${task.sessionId}.`);
  if (task.run === 'follow') return follow(session);
  const lease = await session.acquireLease(owner(`child ${process.pid}`), async () => true);
  report({ type: 'acquired', epoch: lease.epoch });
  if (task.run === 'append_for_ever') await append(session, lease, () => 'some words');
  if (task.run === 'append_until_full') await append(session, lease, () => 'x'.repeat(10_000));
}

async function append(session: SessionStore, lease: Lease, text: () => string): Promise<void> {
  let leaf = await session.lastLeaf();
  for (;;) {
    const record = user(leaf, text());
    await session.append(lease, record.uuid, [record]);
    report({ type: 'appended', uuid: record.uuid });
    leaf = record.uuid;
  }
}

async function follow(session: SessionStore): Promise<void> {
  const following = session.log.follow(null, new AbortController().signal);
  report({ type: 'following' });
  for await (const { entry } of following) {
    const atMs = performance.timeOrigin + performance.now();
    report({ type: 'followed', attempt: attemptOf(entry), atMs });
  }
}

process.once('message', (task: ChildTask) => {
  run(task).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    report({ type: 'failed', code, message: String(error) });
  });
});
