import type { LogEntry, QueryResult } from '../transcript/session-log';
import type { NoticeItem } from './screen-item';

type Retry = Extract<LogEntry, { type: 'api_retry' }>;

export function retryText({ attempt, maxRetries, delayMs, status, error }: Retry): string {
  const why = status === null ? error : `${status} ${error}`;
  return `The API failed (${why}). Attempt ${attempt} of ${maxRetries} in ${Math.ceil(delayMs / 1_000)} s.`;
}

/** null: it ended as one hopes. */
export function endNotice({
  subtype,
  is_error,
  terminal_reason,
  errors,
  result,
}: QueryResult): NoticeItem | null {
  if (terminal_reason.startsWith('aborted')) {
    return { type: 'notice', level: 'warning', text: 'Interrupted. What should be done instead?' };
  }
  if (subtype === 'success' && !is_error) return null;
  const why = errors?.join('\n') ?? (result === undefined ? terminal_reason : null);
  return why === null ? null : { type: 'notice', level: 'error', text: why };
}
