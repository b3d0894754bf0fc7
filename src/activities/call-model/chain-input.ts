import { lookAtFiles } from '../../checkpoints/look-at-files';
import type { PromptGrant } from '../../context/expand-prompt';
import { toReminder } from '../../context/reminder';
import { EMPTY_CONTEXT } from '../../loop/context';
import type { TranscriptRecord } from '../../transcript/record';
import type { LogEntry } from '../../transcript/session-log';
import type { Tool } from '../../tools/tool';
import type { ConversationStart } from '../deps';
import { takeLateAnswers } from '../late-answers';
import { attachmentRecord } from '../new-record';
import { addQueryGrant } from '../query-grants';
import { answerCommand } from './answer-command';
import type { ModelCall } from './call-model';
import { serverNotices, serversInInit, withServers } from '../mcp/server-prompts';
import { afterToolBatch } from './batch-hooks';
import { chainMore, chainPending, type Chained } from './chain-pending';
import type { AnsweredCommand } from './expand-message';
import { promptLines } from './prompt-line';
import { isRefusedPrompt, withPromptHooks } from './prompt-hooks';
import { turnAttachments } from './turn-attachments';

/** End of the context with everything the turn brings. `no_request`: a local command answered, a hook refused the
 *  prompt, or an earlier query answered it: there is nothing to ask the model. */
export type ChainedInput =
  | { readonly type: 'context'; readonly leaf: string }
  | { readonly type: 'no_request'; readonly leaf: string }
  | { readonly type: 'compact_command'; readonly leaf: string };

/** Stage 1, first half: writes what is pending behind the leaf, before the model is asked. */
export async function chainInput(
  call: ModelCall,
  tools: readonly Tool[],
  start: ConversationStart,
): Promise<ChainedInput> {
  const { session, input, facts, attempt, promptId } = call;
  const { store, lease } = session;
  const { messages } = input;
  const key = `${attempt.key}:input`;
  const isFirst = messages.pending.some(
    (pending) => pending.type === 'message' && pending.messageId === promptId,
  );
  const written = await store.findAppended(key);
  if (written !== undefined) {
    // The attempt before may have died between the two writes. Followers know what they have seen.
    await tell(call, tools, { isFirst, records: written });
    return inputOf(written, '');
  }
  const leaf = messages.leaf === EMPTY_CONTEXT ? null : (messages.leaf ?? (await store.lastLeaf()));
  if (isFirst && (await store.findRecord(promptId))?.type === 'attachment') {
    // It was told to the query before, and came again when its session had ended and could not know.
    await tell(call, tools, { isFirst, records: [] });
    return { type: 'no_request', leaf: leaf ?? promptId };
  }
  await noteFiles(call);
  // Hooks of the prompt show before its records, and a client waits for the beginning.
  if (isFirst) await tell(call, tools, { isFirst, records: [] });
  const maker = {
    store,
    facts,
    surroundings: await withServers(call),
    host: {
      linesOf: (messageId: string) => promptLines(call, messageId),
      grant: (grant: PromptGrant) => addQueryGrant(call, grant),
      answer: (command: AnsweredCommand) => answerCommand(call, command, { leaf, tools, start }),
    },
    withHooks: withPromptHooks.bind(null, call),
  };
  const pending = await chainPending(maker, { ...messages, leaf });
  const { records, untold } = await withAttachments(call, { chained: pending, leaf, tools, start });
  const kept = records.length > 0 ? await store.append(lease, key, records) : [];
  await tell(call, tools, { isFirst: false, records: untold });
  return inputOf(kept, leaf ?? '');
}

/** A rewind to a message gives files back as they were before it. */
async function noteFiles({ session, input, options }: ModelCall): Promise<void> {
  if (options.subAgent !== undefined) return;
  for (const pending of input.messages.pending) {
    if (pending.type !== 'message') continue;
    await lookAtFiles(session, pending.messageId, { always: true });
  }
}

async function withAttachments(
  call: ModelCall,
  of: {
    readonly chained: Chained;
    readonly leaf: string | null;
    readonly tools: readonly Tool[];
    readonly start: ConversationStart;
  },
): Promise<Chained> {
  const { chained, leaf, tools, start } = of;
  const offered = tools.map(({ name }) => name);
  const { options, session, facts } = call;
  const isHeard =
    options.subAgent === undefined && chained.records.some(({ type }) => type === 'user');
  const late = isHeard ? takeLateAnswers(session) : [];
  const more = [
    ...(await afterToolBatch(call, chained.records)),
    ...late.map((text) => attachmentRecord(facts, 'hook', toReminder(text))),
    ...(await turnAttachments(call, { added: chained.records, leaf, offered, start })),
  ];
  return more.length === 0 ? chained : chainMore(chained, leaf, more);
}

async function tell(
  call: ModelCall,
  tools: readonly Tool[],
  {
    isFirst,
    records,
  }: { readonly isFirst: boolean; readonly records: readonly TranscriptRecord[] },
): Promise<void> {
  const { session, queryId, options } = call;
  const told = records.map((record): LogEntry => ({ type: 'record', queryId, record }));
  // Clients follow the queries of users; a sub-agent's is part of one.
  const isOwn = isFirst && options.subAgent === undefined;
  const beginning = isOwn ? [await startedEntry(call, tools), ...(await serverNotices(call))] : [];
  const entries = [...beginning, ...told];
  if (entries.length > 0) await session.store.log.append(session.lease, entries);
}

async function startedEntry(call: ModelCall, tools: readonly Tool[]): Promise<LogEntry> {
  const { input, queryId, promptId, options, deps, place } = call;
  const { slashCommands, mcpServers } = await serversInInit(call);
  const { commands, agents, skills, plugins } = await deps.surroundings.inventory(place);
  return {
    type: 'query_started',
    queryId,
    promptId,
    init: {
      cwd: place.cwd,
      model: input.model,
      permissionMode: options.permissionMode,
      tools: tools.map(({ name }) => name),
      apiKeySource: deps.apiKeySource,
      slashCommands: [...commands.map(({ name }) => name), ...slashCommands],
      ...(mcpServers !== undefined && { mcpServers }),
      agents: agents.map(({ type }) => type),
      skills,
      plugins,
    },
  };
}

function inputOf(written: readonly TranscriptRecord[], otherwise: string): ChainedInput {
  const leaf = written.at(-1)?.uuid ?? otherwise;
  if (written.some(isLocalAnswer) || written.some(isRefusedPrompt)) {
    return { type: 'no_request', leaf };
  }
  return { type: written.some(isCommand) ? 'compact_command' : 'context', leaf };
}

const isLocalAnswer = (record: TranscriptRecord): boolean =>
  record.type === 'assistant' && record.isApiErrorMessage === true;

/** The one command that the Workflow carries out: others are answered at once. */
const isCommand = (record: TranscriptRecord): boolean =>
  record.type === 'system' && record.subtype === 'local_command';
