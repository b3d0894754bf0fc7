import { plainRunOptions } from '../../src/transcript/plain-run-options';
import { randomUUID } from 'node:crypto';
import type { QueryResult, LogEntry } from '../../src/transcript/session-log';
import type { InboxMessage } from '../../src/transcript/message';
import type {
  AttachmentRecord,
  SystemRecord,
  TranscriptRecord,
  UserRecord,
} from '../../src/transcript/record';
import type { CallResult, LeaseOwner, SessionMeta } from '../../src/transcript/store';
import { NO_USAGE } from '../../src/loop/usage';

export const alive = async (): Promise<boolean> => true;
export const dead = async (): Promise<boolean> => false;

export function owner(workerId: string): LeaseOwner {
  return { workerId, host: 'localhost', socket: `/run/${workerId}` };
}

export function meta(cwd: string, more: Partial<SessionMeta> = {}): SessionMeta {
  return {
    sessionId: randomUUID(),
    cwd,
    taskQueue: 'queue',
    createdAt: '2026-11-21T10:00:00.000Z',
    fingerprint: { baseUrl: 'http://127.0.0.1', credentials: 'api_key' },
    persistent: true,
    ...more,
  };
}

export function user(parentUuid: string | null, text = 'hello'): UserRecord {
  return { ...base(parentUuid), type: 'user', message: { role: 'user', content: text } };
}

export function attachment(parentUuid: string | null): AttachmentRecord {
  const content = [{ type: 'text', text: 'go on' }] as const;
  return { ...base(parentUuid), type: 'attachment', attachment: { type: 'nudge', content } };
}

export function boundary(parentUuid: string | null): SystemRecord {
  return { ...base(parentUuid), type: 'system', subtype: 'compact_boundary' };
}

/** A chain of user records, oldest first. */
export function chainOf(length: number, parentUuid: string | null = null): UserRecord[] {
  const records: UserRecord[] = [];
  for (let index = 0; index < length; index += 1) {
    records.push(user(records.at(-1)?.uuid ?? parentUuid, `message ${index} ä`));
  }
  return records;
}

export function uuids(records: readonly TranscriptRecord[] | undefined): string[] {
  return (records ?? []).map((record) => record.uuid);
}

export function callResult(text: string): CallResult {
  return { record: user(null, text), isError: false };
}

export function message(text: string): InboxMessage {
  return {
    id: randomUUID(),
    content: text,
    submittedAt: '2026-11-21T10:00:00.000Z',
    options: plainRunOptions('model', 'default'),
  };
}

/** A log entry that carries a number. */
export function retry(attempt: number, error = 'overloaded'): LogEntry {
  return {
    type: 'api_retry',
    queryId: 'q',
    attempt,
    maxRetries: 10,
    delayMs: 1,
    status: 529,
    error,
  };
}

export function attemptOf(entry: LogEntry): number {
  return entry.type === 'api_retry' ? entry.attempt : -1;
}

export function queryEnded(): LogEntry {
  const result: QueryResult = {
    subtype: 'success',
    is_error: false,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    stop_reason: 'end_turn',
    total_cost_usd: 0,
    usage: NO_USAGE,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: 'completed',
    result: 'done',
    uuid: randomUUID(),
  };
  return { type: 'query_ended', queryId: 'q', promptId: 'p', result };
}

/** The first `count` items of something that may go on for ever. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

function base(parentUuid: string | null) {
  return {
    uuid: randomUUID(),
    parentUuid,
    sessionId: 'session',
    timestamp: '2026-11-21T10:00:00.000Z',
    cwd: '/workspace',
    version: '1.0.0',
    userType: 'external' as const,
    isSidechain: false,
  };
}
