import type { FollowedEntry, LogEntry } from '../transcript/session-log';

/** The log as its reader should see it: an attempt that repeats what its predecessor had written already, because
 *  it could not know, is not told twice. Remembers the running queries only. */
export async function* withoutRepeats(
  entries: AsyncGenerator<FollowedEntry, void>,
): AsyncGenerator<FollowedEntry, void> {
  const seen = new Map<string, Set<string>>();
  for await (const followed of entries) {
    const { entry } = followed;
    const known = seen.get(entry.queryId) ?? new Set<string>();
    seen.set(entry.queryId, known);
    const name = nameOf(entry);
    if (name !== null && known.has(name)) continue;
    if (name !== null) known.add(name);
    // Only the end can be repeated after the end.
    if (entry.type === 'query_ended') seen.set(entry.queryId, new Set([nameOf(entry) ?? '']));
    yield followed;
  }
}

/** What an entry tells, if it can be told twice; null: it cannot. */
function nameOf(entry: LogEntry): string | null {
  switch (entry.type) {
    case 'query_started':
    case 'query_ended':
      return entry.type;
    case 'record':
      return entry.record.uuid;
    case 'permission_requested':
      return `question ${entry.question.call.recordId}`;
    case 'permission_decided':
      return `decision ${entry.decision.call.recordId}`;
    case 'notice':
    case 'status':
    case 'hook_started':
    case 'hook_ended':
    case 'tool_use_summary':
    case 'tool_started':
    case 'stream_started':
    case 'stream_committed':
    case 'stream_discarded':
    case 'api_retry':
      return null;
  }
}
