import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { PROMPTS } from './snippet-model';
import type { SessionKind } from './snippet';
import type { SnippetWorld } from './snippet-world';

const PATIENCE_MS = 120_000;

interface SnippetSession {
  readonly sessionId: string;
  /** uuid of what it was asked first. */
  readonly messageId: string;
}

/** A session of the project in the state that a snippet speaks of. */
export async function beginSession(
  world: SnippetWorld,
  project: string,
  kind: SessionKind,
): Promise<SnippetSession> {
  const sessionId = randomUUID();
  const begin =
    kind === 'finished' ? 'everloop -p --permission-mode acceptEdits' : 'everloop run --detach';
  if (kind !== 'finished') await world.startWorker();
  const { exitCode, said } = await world.run(
    project,
    `${begin} --session-id ${sessionId} "${PROMPTS[kind]} (${sessionId})"`,
  );
  if (exitCode !== 0) throw new Error(`No session that is ${kind}: ${said}`);
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isReached(world, project, { kind, sessionId }))) {
    if (Date.now() > deadline) throw new Error(`${sessionId} is not ${kind} in time.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { sessionId, messageId: messageOf(world, sessionId) };
}

async function isReached(
  world: SnippetWorld,
  project: string,
  { kind, sessionId }: { readonly kind: SessionKind; readonly sessionId: string },
): Promise<boolean> {
  const isListed = async (status: string): Promise<boolean> => {
    const { stdout } = await world.run(
      project,
      `everloop ls --query 'EverloopStatus = "${status}"'`,
    );
    return stdout.includes(sessionId);
  };
  switch (kind) {
    case 'finished':
      return true;
    case 'working':
      return world.model.requests.some(({ rawBody }) => rawBody.includes(`(${sessionId})`));
    case 'waiting-approval':
      return isListed('awaiting-approval');
    case 'waiting-answer':
      return isListed('awaiting-answer');
  }
}

/** The first record of a transcript that people wrote. */
function messageOf(world: SnippetWorld, sessionId: string): string {
  const projects = join(world.environment['HOME'] ?? '', '.claude', 'projects');
  const [file = ''] = globSync(`**/${sessionId}.jsonl`, { cwd: projects, absolute: true });
  const records = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly type?: string; readonly uuid?: string });
  const uuid = records.find(({ type }) => type === 'user')?.uuid;
  if (uuid === undefined) throw new Error(`${file} has no message.`);
  return uuid;
}
