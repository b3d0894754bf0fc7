import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { toApiFailure } from '../activities/call-model/api-failure';
import { toRequest } from '../activities/call-model/request';
import { askShorter, readSummary, type SummaryAnswer } from '../activities/compact/ask-shorter';
import { compactedRecords } from '../activities/compact/compacted-records';
import { decidedFor } from '../activities/conversation/recorded-decisions';
import type { CompactOutcome, CompactRequest, CompactTrigger } from '../loop/compaction';
import { splitForReactive, type ReactiveSplit } from '../loop/prepare/compact-groups';
import type { ContextMessage } from '../loop/prepare/context-message';
import { lastCountedReply } from '../loop/prepare/token-count';
import { contextTokensOf } from '../loop/usage';
import { chainPending } from './pending-records';
import { prepareContext } from './prepared-context';
import type { Run } from './run';

/** Puts a summary in the place of the conversation. The transcript keeps all of it; requests begin behind the
 *  boundary. Never throws. */
export async function compact(
  run: Run,
  { messages: given, toolUseContext: { model }, trigger }: CompactRequest,
): Promise<CompactOutcome> {
  const { transcript, stop } = run;
  const leaf = chainPending(transcript, given, run.facts()) ?? '';
  const asItIs = { leaf, pending: [] };
  const prepared = prepareContext(run, leaf, { model, room: 'just_compacted' });
  const split = splitFor(trigger, prepared.messages);
  if (split === null) return { type: 'refused', messages: asItIs };

  const { toSummarise: messages, kept } = split;
  const summary = await askShorter({ messages, instructions: [], userContext: null }, (request) =>
    askOnce(run, model, request),
  );
  if (stop.aborted) return { type: 'interrupted', messages: asItIs };
  if (summary.type === 'failed') return { ...summary, messages: asItIs };

  const chain = transcript.chain(leaf);
  const first = chain.findIndex(({ uuid }) => uuid === kept[0]?.uuid);
  const tail = first === -1 ? [] : chain.slice(first);
  const counted = lastCountedReply(prepared.messages);
  const contextTokens = counted === null ? 0 : contextTokensOf(counted.usage);
  const { text, costs } = summary;
  const records = compactedRecords(run.facts(), {
    trigger,
    summary: text,
    costs,
    preTokens: prepared.tokens,
    contextTokens,
    transcriptPath: null,
    leaf,
    tail,
    decided: decidedFor(tail, chain),
    attached: [],
  });
  const end = transcript.append(null, records).at(-1)?.uuid ?? leaf;
  return { type: 'compacted', leaf: end, contextTokens, costs };
}

/** After a refusal the newest round is kept word for word; null: there is no round to summarise. */
function splitFor(
  trigger: CompactTrigger,
  messages: readonly ContextMessage[],
): ReactiveSplit | null {
  if (trigger === 'reactive') return splitForReactive(messages);
  const hasReply = messages.some(({ role }) => role === 'assistant');
  return hasReply ? { toSummarise: messages, kept: [] } : null;
}

/** The same beginning as any other request of the conversation, so that the server's cache serves it. */
async function askOnce(
  { options, tools, maxOutputTokens, stop }: Run,
  model: string,
  messages: MessageParam[],
): Promise<SummaryAnswer> {
  const startedAtMs = Date.now();
  const request = toRequest({
    model,
    maxTokens: maxOutputTokens,
    system: options.system ?? [],
    tools,
    messages,
    maxThinkingTokens: 0,
    taskBudget: null,
  });
  try {
    stop.throwIfAborted();
    const stream = await options.callApi(request, { signal: stop });
    const { text, usage } = await readSummary(stream, stop);
    return { type: 'summary', text, costs: { model, usage, apiMs: Date.now() - startedAtMs } };
  } catch (error) {
    return toApiFailure(error);
  }
}
