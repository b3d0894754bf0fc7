import { toReminder } from '../../context/reminder';
import type { HookVerdict } from '../../hooks/merge-answers';
import type { InboxMessage } from '../../transcript/message';
import type { SystemRecord, TranscriptRecord } from '../../transcript/record';
import { attachmentRecord, systemRecord } from '../new-record';
import type { QueryCall } from '../query-call';
import { runSessionHooks } from '../run-session-hooks';

/** A prompt that a hook refused: people see it and why, the model never does. */
const REFUSED = 'prompt_refused';

export const isRefusedPrompt = (record: TranscriptRecord): boolean =>
  record.type === 'system' && record.subtype === REFUSED;

/** SessionStart and UserPromptSubmit, or SubagentStart: what they print stands beside the prompt, and the second may refuse it
 *  (spec/loop 7.3). They run before the prompt is on disk: an attempt that is lost in between runs them again. */
export async function withPromptHooks(
  query: QueryCall,
  message: InboxMessage,
  records: readonly TranscriptRecord[],
): Promise<readonly TranscriptRecord[]> {
  const { facts, options } = query;
  const situation = { mode: options.permissionMode };
  const { subAgent } = options;
  if (subAgent !== undefined) {
    // A task is no prompt of a user.
    const begun = await runSessionHooks(query, 'SubagentStart', situation, () => ({
      agent_id: query.promptId,
      agent_type: subAgent.type,
    }));
    return [...contextRecords(query, begun), ...records];
  }
  const { opensSession, model } = message.options;
  const started =
    opensSession === undefined
      ? null
      : await runSessionHooks(query, 'SessionStart', situation, () => ({
          source: opensSession,
          model,
        }));
  const verdict = await runSessionHooks(query, 'UserPromptSubmit', situation, () => ({
    prompt: textOf(message),
  }));
  const refusal = verdict?.blocking[0]?.reason ?? (verdict?.stop && (verdict.stop.reason ?? ''));
  if (refusal != null) {
    const refused: SystemRecord = {
      ...systemRecord(facts, REFUSED),
      uuid: message.id,
      content: `A hook refused the prompt: ${refusal}`,
      level: 'warning',
    };
    return [refused];
  }
  return [...contextRecords(query, started), ...records, ...contextRecords(query, verdict)];
}

function contextRecords(
  { facts }: QueryCall,
  verdict: HookVerdict | null,
): readonly TranscriptRecord[] {
  return (verdict?.contexts ?? []).map((text) => attachmentRecord(facts, 'hook', toReminder(text)));
}

function textOf({ content }: InboxMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
