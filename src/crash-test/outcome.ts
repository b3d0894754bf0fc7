import type { TranscriptRecord } from '../transcript/record';
import type { QueryResult } from '../transcript/session-log';
import { UNKNOWN_OUTCOME } from '../activities/run-tool/tool-run';

/** All that a run left behind, as it is. */
export interface LeftBehind {
  /** Of each query and sub-agent, by name ("query-1", "agent-1"): its conversation, oldest first. */
  readonly conversations: Readonly<Record<string, readonly TranscriptRecord[]>>;
  /** By the same names: its Terminal, and what its Workflow says of itself. */
  readonly states: Readonly<Record<string, unknown>>;
  /** What clients were told at the end of each prompt. */
  readonly results: readonly QueryResult[];
  readonly files: Readonly<Record<string, string>>;
  readonly effects: Readonly<Record<string, number>>;
  /** Requests for a message that the model was sent. */
  readonly modelCalls: number;
  /** Requests that the model refused, and why. */
  readonly modelFailures: readonly string[];
}

/** The same without what may differ between two runs of the same work. JSON. */
export interface Outcome extends Omit<LeftBehind, 'conversations' | 'results'> {
  readonly conversations: Readonly<Record<string, readonly unknown[]>>;
  readonly results: readonly unknown[];
  /** Ids of the calls whose results say that their outcome is unknown. */
  readonly unknown: readonly string[];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Of a Workflow id: names the store, and each run has another. */
const STORE_HASH = /(?<![0-9a-f])[0-9a-f]{8}-(?=[0-9a-f]{8}-[0-9a-f]{4}-)/g;
const MESSAGE_ID = /msg_scripted_\d+/g;
const SHELL_ID = /bash_[0-9a-f]{8}/g;
/** Instants, durations, and what names an attempt or a file's age. */
const LEFT_OUT = /^(?:timestamp|everloop|.+Ms|.+_ms)$/;

/** Ids become their order of appearance; `folder`, the name of the run's own folder, goes. */
export function toOutcome(left: LeftBehind, folder: string): Outcome {
  const leaveOut = (key: string, value: unknown): unknown =>
    LEFT_OUT.test(key) ? undefined : value;
  const plain = JSON.stringify(left, leaveOut)
    .replaceAll(folder, 'everloop-crash')
    .replace(STORE_HASH, '')
    .replace(UUID, numbered('id'))
    .replace(MESSAGE_ID, numbered('message'))
    .replace(SHELL_ID, numbered('shell'));
  const outcome = JSON.parse(plain) as Omit<Outcome, 'unknown'>;
  return { ...outcome, unknown: Object.values(left.conversations).flatMap(unknownIn) };
}

/** Each kind for itself: one that is missing shows where it is missing. */
function numbered(kind: string): (id: string) => string {
  const seen = new Map<string, string>();
  return (id) => {
    const known = seen.get(id) ?? `${kind}-${seen.size}`;
    seen.set(id, known);
    return known;
  };
}

function unknownIn(records: readonly TranscriptRecord[]): readonly string[] {
  return records.flatMap((record) => {
    if (record.type !== 'user' || typeof record.message.content === 'string') return [];
    return record.message.content.flatMap((block) =>
      block.type === 'tool_result' && isUnknown(block.content) ? [block.tool_use_id] : [],
    );
  });
}

const isUnknown = (content: unknown): boolean =>
  typeof content === 'string' && content.startsWith(UNKNOWN_OUTCOME);
