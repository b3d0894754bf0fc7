import type { CompactOutcome } from '../../loop/compaction';
import { splitForReactive } from '../../loop/prepare/compact-groups';
import { lastCountedReply } from '../../loop/prepare/token-count';
import { contextTokensOf } from '../../loop/usage';
import type { TranscriptRecord } from '../../transcript/record';
import type { LogEntry } from '../../transcript/session-log';
import type { Attempt } from '../attempt';
import { sessionPrompt } from '../call-model/session-prompt';
import { prepareContext, type PreparedContext } from '../conversation/prepared-context';
import { decidedFor } from '../conversation/recorded-decisions';
import type { ActivityDeps } from '../deps';
import type { CompactInput } from '../interface';
import { syntheticReply } from '../new-record';
import { openQueryCall, type QueryCall } from '../query-call';
import { contextOfHooks, instructionsOfHooks } from './compact-hooks';
import { toolsToOffer } from '../tools-to-offer';
import { compactedRecords } from './compacted-records';
import { reattachedFiles } from './reattached-files';
import { requestSummary } from './request-summary';

/** What is to be summarised, and what is kept. */
interface Conversation {
  readonly chain: readonly TranscriptRecord[];
  readonly prepared: PreparedContext;
  readonly toSummarise: PreparedContext['messages'];
  readonly tail: readonly TranscriptRecord[];
}

/** Puts a summary in the place of the conversation: the transcript keeps all of it, requests begin behind the
 *  boundary (spec/loop 3.7). An attempt that finds its predecessor's summary adopts it. */
export async function compact(
  deps: ActivityDeps,
  attempt: Attempt,
  input: CompactInput,
): Promise<CompactOutcome> {
  const query = await openQueryCall(deps, attempt);
  const { session, queryId } = query;
  const { store, lease } = session;
  const leaf = input.messages.leaf ?? (await store.lastLeaf()) ?? '';
  const messages = { leaf, pending: [] };
  const tellStatus = (status: 'compacting' | null): Promise<void> =>
    store.log.append(lease, [{ type: 'status', queryId, status }]);
  const adopted = await store.findAppended(keyOf(query));
  if (adopted !== undefined) {
    // That attempt may have died before it told observers that it is done.
    await tellStatus(null);
    return told(query, adopted);
  }

  const conversation = await conversationAt(query, input, leaf);
  if (conversation === null) {
    const text = 'There is nothing to compact yet.';
    return { type: 'refused', messages: await answered(query, input, leaf, text) };
  }
  await tellStatus('compacting');
  try {
    return await summarise(query, input, leaf, conversation);
  } catch (error) {
    if (!attempt.stop.aborted) throw error;
    return { type: 'interrupted', messages };
  } finally {
    if (!attempt.over.aborted && !attempt.forgotten.aborted) await tellStatus(null);
  }
}

async function summarise(
  query: QueryCall,
  input: CompactInput,
  leaf: string,
  { chain, prepared, toSummarise, tail }: Conversation,
): Promise<CompactOutcome> {
  const { attempt, session, facts } = query;
  const { store } = session;
  const { trigger, model } = input;
  const before = await instructionsOfHooks(query, input, commandArguments(chain));
  if (before.type === 'refused') {
    const text = `A hook refused the compaction: ${before.reason}`;
    return { type: 'refused', messages: await answered(query, input, leaf, text) };
  }
  const summary = await requestSummary({
    query,
    model,
    start: await sessionPrompt(query),
    tools: await toolsToOffer(query, input.mode),
    messages: toSummarise,
    instructions: before.instructions,
    signal: AbortSignal.any([attempt.stop, attempt.over, attempt.forgotten]),
  });
  if (summary.type === 'failed') {
    const text = `The conversation could not be summarised: ${summary.message}`.slice(0, 200);
    const messages = await answered(query, input, leaf, text);
    return { type: 'failed', messages, message: text };
  }
  const { text, costs } = summary;
  const counted = lastCountedReply(prepared.messages);
  const records = compactedRecords(facts, {
    trigger,
    summary: text,
    costs,
    preTokens: prepared.tokens,
    contextTokens: counted === null ? 0 : contextTokensOf(counted.usage),
    transcriptPath: store.transcriptPath,
    leaf,
    tail,
    decided: decidedFor(tail, chain),
    attached: [
      ...(await reattachedFiles(query, chain, tail)),
      ...(await contextOfHooks(query, input, text)),
    ],
  });
  return told(query, await store.append(session.lease, keyOf(query), records));
}

const keyOf = ({ attempt }: QueryCall): string => `${attempt.key}:compact`;

/** null: there is no round to summarise. */
async function conversationAt(
  { deps, session, options }: QueryCall,
  { trigger, model }: CompactInput,
  leaf: string,
): Promise<Conversation | null> {
  const { store } = session;
  const chain = leaf === '' ? [] : await store.chain(leaf);
  const prepared = await prepareContext({
    store,
    chain,
    model,
    options,
    settings: deps.context,
    now: deps.now(),
    mayCompact: false,
    skipBlockingCheck: true,
  });
  const { messages } = prepared;
  if (trigger === 'reactive') {
    const split = splitForReactive(messages);
    if (split === null) return null;
    const first = split.kept[0]?.uuid;
    const from = chain.findIndex(({ uuid }) => uuid === first);
    return { chain, prepared, toSummarise: split.toSummarise, tail: chain.slice(from) };
  }
  const hasReply = messages.some(({ role }) => role === 'assistant');
  return hasReply ? { chain, prepared, toSummarise: messages, tail: [] } : null;
}

/** What the user wrote behind `/compact`; null: it was no command. */
function commandArguments(chain: readonly TranscriptRecord[]): string | null {
  const last = chain.at(-1);
  if (last?.type !== 'system' || last.subtype !== 'local_command') return null;
  return (last.content ?? '').replace(/^\s*\/\w+\s*/, '');
}

/** A command is answered; a compaction that the loop wanted is told of beside the conversation. Returns the
 *  context as it stays. */
async function answered(
  { session, facts, attempt, queryId }: QueryCall,
  { trigger }: CompactInput,
  leaf: string,
  text: string,
): Promise<{ readonly leaf: string; readonly pending: readonly [] }> {
  const { store, lease } = session;
  if (trigger !== 'manual') {
    await store.log.append(lease, [{ type: 'notice', queryId, level: 'warning', text }]);
    return { leaf, pending: [] };
  }
  const answer = { ...syntheticReply(facts, { text }), parentUuid: leaf === '' ? null : leaf };
  const kept = await store.append(lease, `${attempt.key}:answer`, [answer]);
  await store.log.append(
    lease,
    kept.map((record): LogEntry => ({ type: 'record', queryId, record })),
  );
  return { leaf: kept.at(-1)?.uuid ?? leaf, pending: [] };
}

/** Observers hear of the boundary and of the summary: what was kept they know. */
async function told(
  { session, queryId }: QueryCall,
  records: readonly TranscriptRecord[],
): Promise<CompactOutcome> {
  const [boundary, summary] = records;
  const compaction = boundary?.everloop?.compaction;
  if (boundary === undefined || summary === undefined || compaction === undefined) {
    throw new Error('An append of a compaction does not begin with its boundary.');
  }
  await session.store.log.append(
    session.lease,
    [boundary, summary].map((record): LogEntry => ({ type: 'record', queryId, record })),
  );
  const { contextTokens, costs } = compaction;
  return { type: 'compacted', leaf: records.at(-1)?.uuid ?? '', contextTokens, costs };
}
