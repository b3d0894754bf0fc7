import type { RunOptions } from '../../transcript/message';
import type { TranscriptRecord } from '../../transcript/record';
import type { LogEntry } from '../../transcript/session-log';
import type { Tool } from '../../tools/tool';
import type { ModelCall } from './call-model';
import { chainPending } from './chain-pending';

/** End of the context that will be sent, with everything the turn brings. */
export interface ChainedInput {
  readonly leaf: string;
  /** A local command answered, or an earlier query did: there is nothing to ask the model. */
  readonly isLocal: boolean;
}

/** Stage 1, first half: writes what is pending behind the leaf, before the model is asked. */
export async function chainInput(
  call: ModelCall,
  promptId: string,
  options: RunOptions,
  tools: readonly Tool[],
): Promise<ChainedInput> {
  const { session, input, facts, attempt, queryId, deps } = call;
  const { store, lease } = session;
  const key = `${attempt.key}:input`;
  const isFirst = input.messages.pending.some(
    (pending) => pending.type === 'message' && pending.messageId === promptId,
  );
  const started: LogEntry = {
    type: 'query_started',
    queryId,
    promptId,
    init: {
      cwd: store.meta.cwd,
      model: input.model,
      permissionMode: options.permissionMode,
      tools: tools.map(({ name }) => name),
      slashCommands: [],
      apiKeySource: deps.apiKeySource,
    },
  };
  const tell = async (records: readonly TranscriptRecord[]): Promise<void> => {
    const told = records.map((record): LogEntry => ({ type: 'record', queryId, record }));
    const entries = [...(isFirst ? [started] : []), ...told];
    if (entries.length > 0) await store.log.append(lease, entries);
  };

  const written = await store.findAppended(key);
  if (written !== undefined) {
    // The attempt before may have died between the two writes. Followers know what they have seen.
    await tell(written);
    return { leaf: written.at(-1)?.uuid ?? '', isLocal: written.some(isLocalAnswer) };
  }
  const leaf = input.messages.leaf ?? (await store.lastLeaf());
  if (isFirst && (await store.findRecord(promptId))?.type === 'attachment') {
    // It was told to the query before, and came again when its session had ended and could not know.
    await tell([]);
    return { leaf: leaf ?? promptId, isLocal: true };
  }
  const context = { ...input.messages, leaf };
  const { records, untold } = await chainPending(store, context, facts, deps.surroundings);
  const kept = records.length > 0 ? await store.append(lease, key, records) : [];
  await tell(untold);
  return { leaf: kept.at(-1)?.uuid ?? leaf ?? '', isLocal: kept.some(isLocalAnswer) };
}

const isLocalAnswer = (record: TranscriptRecord): boolean =>
  record.type === 'assistant' && record.isApiErrorMessage === true;
