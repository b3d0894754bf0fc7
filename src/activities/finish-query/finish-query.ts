import { EMPTY_CONTEXT, type Pending, type ToolUseRef } from '../../loop/context';
import { fromQueryWorkflowId } from '../../loop/workflow-id';
import type { LogEntry, PermissionDenial } from '../../transcript/session-log';
import type { TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { Attempt } from '../attempt';
import { chainPending } from '../call-model/chain-pending';
import { ENDED_QUERY } from '../call-model/expand-message';
import type { ActivityDeps } from '../deps';
import type { FinishedQuery, FinishQueryInput } from '../interface';
import { callIn } from '../run-tool/find-call';
import { costOfQuery } from '../../loop/tally';
import { reportName, toReport } from '../sub-agent/sub-agent-report';
import { toQueryResult } from './query-result';
import { taskResultName } from '../agent-task/report-task';
import { fromStoredTotals, TOTALS, withQuery } from './session-totals';

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
  const message = await store.findMessage(promptId);
  const subAgent = message?.options.subAgent;
  const facts = {
    sessionId,
    cwd,
    timestamp: deps.now().toISOString(),
    version: deps.version,
    ...(subAgent && { isSidechain: true, parentToolUseId: subAgent.toolUseId }),
  };

  const leafBefore =
    messages.leaf === EMPTY_CONTEXT ? null : (messages.leaf ?? (await store.lastLeaf()));
  const written = await store.findAppended(key);
  const rest = written === undefined ? await chainRest() : { kept: written, untold: written };
  const leaf = rest.kept.at(-1)?.uuid ?? leafBefore;
  const queryId = attempt.workflowId;
  await store.log.append(
    lease,
    rest.untold.map((record): LogEntry => ({ type: 'record', queryId, record })),
  );

  const chain = leaf === null ? [] : await store.chain(leaf);
  const totals = withQuery(fromStoredTotals(await store.readDocument(TOTALS)), queryId, tally);
  await store.writeDocument(lease, TOTALS, totals);
  if (input.sessionRunsAs === null) {
    await store.writeDocument(lease, reportName(promptId), toReport(terminal, chain, leaf));
    return { leaf };
  }
  const denials = await denialsOf(store, tally.denied);
  const result = toQueryResult({
    terminal,
    tally,
    totals,
    denials,
    chain,
    nowMs: deps.now().getTime(),
  });
  if (message?.origin === 'workflow') {
    await store.writeDocument(lease, taskResultName(promptId), result);
  }
  await store.log.append(lease, [{ type: 'query_ended', queryId, promptId, result }]);
  const { consumed } = tally;
  await attempt.signalQueryEnded(input.sessionRunsAs, {
    promptId,
    leaf,
    consumed,
    reason: terminal.reason,
    costUsd: costOfQuery(tally),
    ...(input.autoCompactTracking && { autoCompactTracking: input.autoCompactTracking }),
    ...(input.hostQueue !== undefined && { hostQueue: input.hostQueue }),
  });
  return { leaf };

  async function chainRest(): Promise<Rest> {
    const pending = await findable(store, messages.pending);
    const context = { leaf: leafBefore, pending };
    const maker = { store, facts, surroundings: deps.surroundings, host: ENDED_QUERY };
    const { records, untold } = await chainPending(maker, context);
    return { kept: await store.append(lease, key, records), untold };
  }
}

/** Without messages that are in no store: they are why the query failed, and it must end all the same. */
async function findable(
  store: SessionStore,
  pending: readonly Pending[],
): Promise<readonly Pending[]> {
  const found = await Promise.all(
    pending.map(
      async (one) =>
        one.type !== 'message' || (await store.findMessage(one.messageId)) !== undefined,
    ),
  );
  return pending.filter((_one, index) => found[index]);
}

/** What was chained. `untold`: what observers may not have heard of; they know a record that they hear again. */
interface Rest {
  readonly kept: readonly TranscriptRecord[];
  readonly untold: readonly TranscriptRecord[];
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
