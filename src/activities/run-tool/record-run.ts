import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { failpoint } from '../../failpoint/failpoint';
import type { CallOutcome } from '../../metrics/activity-counts';
import type { CallResult, HookFacts } from '../../transcript/store';
import type { Attempt } from '../attempt';
import { attachmentRecord, userRecord } from '../new-record';
import type { ServedSession } from '../served-sessions';
import { findOffered } from '../tool-catalog';
import { limitResult } from './result-limit';
import type { ToolRun } from './run-tool';
import { noteText } from './tool-hooks';
import type { Ran } from './tool-run';

/** Writes what came of a call: the finished record into the ledger, on disk, then the observers' log. It is
 *  chained into the transcript by the next request, in the order of the calls. */
export async function recordRun(
  run: ToolRun,
  ran: Ran,
  { notes, stops }: HookFacts,
): Promise<CallResult> {
  const { deps, attempt, session, input, call, facts, agent } = run;
  const { store, lease } = session;
  failpoint('tool.ran');
  const tool = findOffered(agent.tools, call.name);
  const content =
    tool === undefined ? ran.content : await limitResult(store, input.call, tool, ran.content);
  const block: ToolResultBlockParam = {
    type: 'tool_result',
    tool_use_id: input.call.id,
    content,
    ...(ran.isError && { is_error: true }),
  };
  const files = ran.result?.filesSeen;
  const workingDirectory = ran.result?.workingDirectory;
  const record = userRecord({ ...facts, timestamp: deps.now().toISOString() }, [block]);
  const kept = await store.ledger.recordResult(lease, input.call, {
    record: {
      ...record,
      toolUseResult: ran.structured,
      everloop: {
        ...(files !== undefined && { files }),
        ...(ran.isStructuredOutput && { isStructuredOutput: true }),
      },
    },
    isError: ran.isError,
    ...(ran.denied && { denied: true }),
    ...(ran.interrupts && { interrupts: true }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(notes.length > 0 && {
      notes: notes.map((note) => attachmentRecord(facts, 'hook', noteText(note))),
    }),
    ...(stops && { hookStopped: true }),
    ...(ran.terminate && { terminate: true }),
    ...(ran.isStructuredOutput && { structuredOutput: true }),
  });
  const isOurs = kept.record.uuid === record.uuid;
  if (isOurs) deps.counts?.toolRan({ tool: tool?.name ?? null, outcome: outcomeOf(run, ran) });
  failpoint('tool.result');
  await tellResult(session, attempt, kept);
  return kept;
}

function outcomeOf({ attempt }: ToolRun, { denied, isError }: Ran): CallOutcome {
  if (denied) return 'denied';
  if (attempt.stop.aborted) return 'interrupted';
  return isError ? 'error' : 'ok';
}

/** Tells observers. */
export async function tellResult(
  { store, lease }: ServedSession,
  { workflowId: queryId }: Attempt,
  { record }: CallResult,
): Promise<void> {
  await store.log.append(lease, [{ type: 'record', queryId, record }]);
}
