import { preview } from '../../redact/preview';
import type { LogEntry } from '../../transcript/session-log';
import type { TranscriptRecord } from '../../transcript/record';
import { printable } from './printable';

/** One step of a session for people, redacted; null: nothing that they need to see. */
export function logLine(at: string, entry: LogEntry): string | null {
  const text = textOf(entry);
  return text === null ? null : `${at}  ${printable(preview(text))}`;
}

function textOf(entry: LogEntry): string | null {
  switch (entry.type) {
    case 'query_started':
      return `query started · ${entry.init.model} · ${entry.queryId}`;
    case 'record':
      return recordText(entry.record);
    case 'stream_started':
      return `turn ${entry.turn} · model is asked`;
    case 'stream_committed':
      return null;
    case 'stream_discarded':
      return `reply taken back · ${entry.reason}`;
    case 'api_retry':
      return `model failed (${entry.status ?? 'connection'}) · try ${entry.attempt} of ${entry.maxRetries} in ${entry.delayMs} ms · ${entry.error}`;
    case 'notice':
      return `${entry.level} · ${entry.text}`;
    case 'status':
      return entry.status === null ? 'compacted' : entry.status;
    case 'tool_use_summary':
      return `label · ${entry.summary}`;
    case 'permission_requested':
      return `asks · ${entry.question.toolName} ${entry.question.call.id} · ${entry.question.reason}`;
    case 'permission_decided':
      return `decided · ${entry.decision.toolName} ${entry.decision.call.id} · ${entry.decision.behavior} by ${entry.decision.by}`;
    case 'hook_started':
      return null;
    case 'hook_ended':
      return `hook · ${entry.hook.name} · ${entry.ended.outcome}`;
    case 'tool_started':
      return `tool · ${entry.name} ${entry.summary}`;
    case 'query_ended':
      return `query ended · ${entry.result.terminal_reason} · ${entry.result.num_turns} turns · $${entry.result.total_cost_usd.toFixed(4)}`;
  }
}

function recordText(record: TranscriptRecord): string | null {
  if (record.isMeta === true || (record.type !== 'user' && record.type !== 'assistant'))
    return null;
  const who = record.type === 'user' ? 'user' : 'reply';
  const { content } = record.message;
  if (typeof content === 'string') return `${who} · ${content}`;
  const parts = content.flatMap((block) => {
    if (block.type === 'text') return [`${who} · ${block.text}`];
    if (block.type === 'tool_use') return [`calls · ${block.name} ${JSON.stringify(block.input)}`];
    if (block.type !== 'tool_result') return [];
    const kind = block.is_error === true ? 'result (error)' : 'result';
    return [`${kind} · ${resultText(block.content)}`];
  });
  return parts.length === 0 ? null : parts.join(' · ');
}

const resultText = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
