import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeaseOwner } from '../transcript/store';

/** What a Worker is doing, on disk, so that its successor can give it up at once instead of waiting for timeouts.
 *  One small file per running attempt and per Workflow in the Worker's cache; no fsync: a power failure takes
 *  the server with it. */
export interface RunNotes {
  /** Notes an attempt; the result takes the note away. */
  noteAttempt(attempt: RunningAttempt): () => void;
  /** Takes everything away: this Worker leaves in order. */
  clear(): void;
}

interface RunningAttempt {
  /** Base64 task token: whoever has it can report for the attempt. */
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** What one Worker left behind. */
export interface LeftNotes {
  readonly owner: LeaseOwner;
  readonly folder: string;
  readonly attempts: readonly RunningAttempt[];
  /** Workflows whose next task would wait for this Worker's sticky queue. */
  readonly workflowIds: readonly string[];
}

const OWNER = 'owner.json';
const ATTEMPTS = 'attempts';
const WORKFLOWS = 'workflows';

export function createRunNotes(home: string, owner: LeaseOwner): RunNotes {
  const folder = join(home, 'run', owner.workerId);
  const noted = new Set<string>();
  const begin = (): void => {
    noted.clear();
    for (const part of [ATTEMPTS, WORKFLOWS]) {
      mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
    }
    writeFileSync(join(folder, OWNER), JSON.stringify(owner), { mode: 0o600 });
  };
  begin();

  return {
    noteAttempt(attempt) {
      // A Worker that was stopped for a while looks dead: whoever rescued its work has cleared its notes away.
      if (!existsSync(join(folder, OWNER))) begin();
      if (!noted.has(attempt.workflowId)) {
        noted.add(attempt.workflowId);
        writeFileSync(join(folder, WORKFLOWS, attempt.workflowId), '');
      }
      const name = createHash('sha256').update(attempt.token).digest('hex').slice(0, 32);
      const file = join(folder, ATTEMPTS, name);
      writeFileSync(file, JSON.stringify(attempt), { mode: 0o600 });
      return () => rmSync(file, { force: true });
    },
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Notes of all Workers of this home, whether they live or not. */
export function readRunNotes(home: string): readonly LeftNotes[] {
  return namesIn(join(home, 'run')).flatMap((name) => {
    const folder = join(home, 'run', name);
    const owner = readJson(join(folder, OWNER));
    if (!isOwner(owner)) return [];
    const attempts = namesIn(join(folder, ATTEMPTS)).flatMap((file) => {
      const attempt = readJson(join(folder, ATTEMPTS, file));
      return isAttempt(attempt) ? [attempt] : [];
    });
    return [{ owner, folder, attempts, workflowIds: namesIn(join(folder, WORKFLOWS)) }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** undefined: it went away meanwhile, or its writer died in the middle. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const has = (value: unknown, ...keys: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && keys.every((key) => key in value);
const isOwner = (value: unknown): value is LeaseOwner => has(value, 'workerId', 'host', 'socket');
const isAttempt = (value: unknown): value is RunningAttempt =>
  has(value, 'token', 'workflowId', 'runId');
