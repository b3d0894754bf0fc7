import type { ToolUseRef } from '../../loop/context';
import { fromQueryWorkflowId } from '../../loop/workflow-id';
import type { PermissionDenial } from '../../transcript/session-log';
import type { TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { Attempt } from '../attempt';
import { chainPending } from '../call-model/chain-pending';
import type { ActivityDeps } from '../deps';
import type { FinishedQuery, FinishQueryInput } from '../interface';
import { callIn } from '../run-tool/find-call';
import { toQueryResult } from './query-result';
import { fromStoredTotals, withQuery } from './session-totals';

const TOTALS = 'totals';

/** The terminal step: chains what is left, so that every call has its result, writes the query's result for its
 *  observers, and tells the session. Each part can be repeated; observers know a result by its query. */
export async function finishQuery(
  deps: ActivityDeps,
  attempt: Attempt,
  input: FinishQueryInput,
): Promise<FinishedQuery> {
  const { store, lease } = await deps.sessions.serve(attempt.workflowId);
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const { messages, terminal, tally } = input;
  const key = `${attempt.key}:end`;
  const { sessionId, cwd } = store.meta;
  const facts = { sessionId, cwd, timestamp: deps.now().toISOString(), version: deps.version };

  const written = await store.findAppended(key);
  const leafBefore = messages.leaf ?? (await store.lastLeaf());
  const chained = written ?? (await chainRest());
  const leaf = chained.at(-1)?.uuid ?? leafBefore;

  const chain = leaf === null ? [] : await store.chain(leaf);
  const totals = withQuery(
    fromStoredTotals(await store.readDocument(TOTALS)),
    attempt.workflowId,
    tally,
  );
  await store.writeDocument(lease, TOTALS, totals);
  const denials = await denialsOf(store, tally.denied);
  const result = toQueryResult({
    terminal,
    tally,
    totals,
    denials,
    chain,
    nowMs: deps.now().getTime(),
  });
  await store.log.append(lease, [
    { type: 'query_ended', queryId: attempt.workflowId, promptId, result },
  ]);
  const { consumed } = tally;
  await attempt.signalQueryEnded(input.sessionRunsAs, {
    promptId,
    leaf,
    consumed,
    reason: terminal.reason,
  });
  return { leaf };

  async function chainRest(): Promise<readonly TranscriptRecord[]> {
    const context = { ...messages, leaf: leafBefore };
    const { records, untold } = await chainPending(store, context, facts, deps.surroundings);
    if (records.length === 0) return [];
    const kept = await store.append(lease, key, records);
    const queryId = attempt.workflowId;
    await store.log.append(
      lease,
      untold.map((record) => ({ type: 'record', queryId, record })),
    );
    return kept;
  }
}

async function denialsOf(
  store: SessionStore,
  denied: readonly ToolUseRef[],
): Promise<readonly PermissionDenial[]> {
  const denials: PermissionDenial[] = [];
  for (const { id, recordId } of denied) {
    const record = await store.findRecord(recordId);
    const call = record === undefined ? undefined : callIn(record, id);
    if (call === undefined) continue;
    denials.push({ tool_name: call.name, tool_use_id: id, tool_input: call.input });
  }
  return denials;
}
