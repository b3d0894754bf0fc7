import { toReminder } from '../../context/reminder';
import type { AttachmentRecord } from '../../transcript/record';
import type { CompactInput } from '../interface';
import { attachmentRecord } from '../new-record';
import type { QueryCall } from '../query-call';
import { runSessionHooks } from '../run-session-hooks';

export type BeforeCompaction =
  | { readonly type: 'instructions'; readonly instructions: readonly string[] }
  | { readonly type: 'refused'; readonly reason: string };

const triggerOf = ({ trigger }: CompactInput): 'manual' | 'auto' =>
  trigger === 'manual' ? 'manual' : 'auto';

/** PreCompact: may forbid the compaction, or say what the summary should look after (spec/loop 3.7n). */
export async function instructionsOfHooks(
  query: QueryCall,
  input: CompactInput,
  typed: string | null,
): Promise<BeforeCompaction> {
  const custom = typed === null || typed === '' ? [] : [typed];
  const verdict = await runSessionHooks(query, 'PreCompact', input, () => ({
    trigger: triggerOf(input),
    custom_instructions: custom[0] ?? null,
  }));
  const refusal = verdict?.blocking[0];
  if (refusal !== undefined) return { type: 'refused', reason: refusal.reason };
  return { type: 'instructions', instructions: [...custom, ...(verdict?.contexts ?? [])] };
}

/** PostCompact, and SessionStart for the conversation's new beginning. */
export async function contextOfHooks(
  query: QueryCall,
  input: CompactInput,
  summary: string,
): Promise<readonly AttachmentRecord[]> {
  const { model } = input;
  await runSessionHooks(query, 'PostCompact', input, () => ({
    trigger: triggerOf(input),
    compact_summary: summary,
  }));
  const started = await runSessionHooks(query, 'SessionStart', input, () => ({
    source: 'compact',
    model,
  }));
  return (started?.contexts ?? []).map((text) =>
    attachmentRecord(query.facts, 'hook', toReminder(text)),
  );
}
