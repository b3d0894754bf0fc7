import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { toReminder } from '../../context/reminder';
import type { HookFieldsOf } from '../../hooks/hook-event';
import type { AttachmentRecord, TranscriptRecord } from '../../transcript/record';
import { attachmentRecord } from '../new-record';
import { runSessionHooks } from '../run-session-hooks';
import type { ModelCall } from './call-model';

type BatchedCall = HookFieldsOf<'PostToolBatch'>['tool_calls'][number];

/** PostToolBatch: once all calls of a reply have their results, before the model reads them. What the hooks say stands
 *  behind the results; nothing can be taken back. An attempt that is lost runs them again. */
export async function afterToolBatch(
  call: ModelCall,
  added: readonly TranscriptRecord[],
): Promise<readonly AttachmentRecord[]> {
  const { deps, place, facts, input, options, session } = call;
  const { set } = await deps.surroundings.hooks(place);
  const results = added.flatMap(resultsIn);
  if (results.length === 0 || !set.hasHooks('PostToolBatch')) return [];
  const { leaf } = input.messages;
  const chain = leaf === null ? [] : await session.store.chain(leaf);
  const calls = results.flatMap((result) => callOf(result, chain));
  const mode = input.toolUseContext?.mode ?? options.permissionMode;
  const verdict = await runSessionHooks(call, 'PostToolBatch', { mode }, () => ({
    tool_calls: calls,
  }));
  const texts = [
    ...(verdict?.blocking ?? []).map(({ reason }) => `A hook objects to these results:\n${reason}`),
    ...(verdict?.contexts ?? []),
  ];
  return texts.map((text) => attachmentRecord(facts, 'hook', toReminder(text)));
}

interface Result {
  readonly block: ToolResultBlockParam;
  readonly response: unknown;
}

function resultsIn(record: TranscriptRecord): readonly Result[] {
  if (record.type !== 'user' || typeof record.message.content === 'string') return [];
  return record.message.content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ block, response: record.toolUseResult ?? block.content }]
      : [],
  );
}

function callOf(
  { block, response }: Result,
  chain: readonly TranscriptRecord[],
): readonly BatchedCall[] {
  const calls = chain.flatMap((record) =>
    record.type === 'assistant'
      ? record.message.content.filter((each) => each.type === 'tool_use')
      : [],
  );
  return calls
    .filter(({ id }) => id === block.tool_use_id)
    .map(({ id, name, input }) => ({
      tool_name: name,
      tool_input: input,
      tool_use_id: id,
      tool_response: response,
    }));
}
