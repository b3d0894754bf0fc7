import type { ToolUseRef } from '../../loop/context';
import type { TranscriptRecord } from '../../transcript/record';
import type { ServedSession } from '../served-sessions';

/** A tool call with its input, as the model made it. */
export interface FoundCall {
  readonly name: string;
  readonly input: unknown;
}

/** undefined: the reply that made the call was never committed, and the process that read it is gone. */
export async function findCall(
  { store, uncommitted }: ServedSession,
  { id, recordId }: ToolUseRef,
): Promise<FoundCall | undefined> {
  const record = uncommitted.get(recordId) ?? (await store.findRecord(recordId));
  return record === undefined ? undefined : callIn(record, id);
}

export function callIn(record: TranscriptRecord, id: string): FoundCall | undefined {
  if (record.type !== 'assistant') return undefined;
  for (const block of record.message.content) {
    if (block.type === 'tool_use' && block.id === id)
      return { name: block.name, input: block.input };
  }
  return undefined;
}
