import type { StopVerdict } from '../../loop/stop-hooks';
import { STRUCTURED_OUTPUT } from '../../loop/tool-batch';
import type { TranscriptRecord } from '../../transcript/record';
import type { LogEntry } from '../../transcript/session-log';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import type { StopHooksInput } from '../interface';
import { stopFeedback } from '../injected-texts';
import { userRecord } from '../new-record';
import { openQueryCall, type QueryCall } from '../query-call';
import { runSessionHooks } from '../run-session-hooks';

/** Stop and StopFailure (spec/loop 6.4–6.6). What a Stop hook objects is chained as a hidden message of the user.
 *  An attempt that finds its predecessor's feedback adopts it; a hook may be run twice if its Worker dies. */
export async function runStopHooks(
  deps: ActivityDeps,
  attempt: Attempt,
  input: StopHooksInput,
): Promise<StopVerdict> {
  const query = await openQueryCall(deps, attempt);
  const { store } = query.session;
  const { leaf } = input;
  const written = await store.findAppended(keyOf(query));
  if (written !== undefined) return blocked(query, written);
  try {
    const last = lastReply(await store.chain(leaf));
    if (input.event === 'stop_failure') {
      await runSessionHooks(query, 'StopFailure', input, () => ({
        error: input.error ?? last?.error ?? 'unknown',
        ...(last !== null && input.error === undefined && { last_assistant_message: last.text }),
      }));
      return { type: 'passed' };
    }
    return await runStop(query, input, last?.text ?? '');
  } catch (error) {
    // The loop itself sees that the query is being stopped.
    if (attempt.stop.aborted) return { type: 'passed' };
    throw error;
  }
}

async function runStop(
  query: QueryCall,
  input: StopHooksInput,
  text: string,
): Promise<StopVerdict> {
  const { session, queryId, options } = query;
  const { store, lease } = session;
  const { leaf, stopHookActive, mayBlock } = input;
  if (options.jsonSchema != null && !stopHookActive) return feedBack(query, leaf, CALL_THE_TOOL);
  const fields = { stop_hook_active: stopHookActive, last_assistant_message: text };
  const { subAgent } = options;
  const verdict =
    subAgent === undefined
      ? await runSessionHooks(query, 'Stop', input, () => fields)
      : await runSessionHooks(query, 'SubagentStop', input, () => ({
          ...fields,
          agent_id: query.promptId,
          agent_type: subAgent.type,
          agent_transcript_path: session.store.transcriptPath,
        }));
  if (verdict === null) return { type: 'passed' };
  if (verdict.stop !== null) return { type: 'prevented', leaf };
  if (verdict.blocking.length === 0) return { type: 'passed' };
  if (!mayBlock) {
    const warning = 'A Stop hook blocked too often in a row. It is overridden: the agent stops.';
    await store.log.append(lease, [{ type: 'notice', queryId, level: 'warning', text: warning }]);
    return { type: 'passed' };
  }
  const reasons = verdict.blocking.map(({ reason }) => stopFeedback(reason));
  return feedBack(query, leaf, reasons.join('\n\n'));
}

/** The query ends with a value, or not well (spec/loop 6.10): asked for once. */
const CALL_THE_TOOL = `You have not handed over the answer. Call the ${STRUCTURED_OUTPUT} tool now, with a value that fits its schema.`;

async function feedBack(query: QueryCall, leaf: string, text: string): Promise<StopVerdict> {
  const { store, lease } = query.session;
  const record = { ...userRecord(query.facts, text), isMeta: true, parentUuid: leaf };
  return blocked(query, await store.append(lease, keyOf(query), [record]));
}

const keyOf = ({ attempt }: QueryCall): string => `${attempt.key}:stop`;

async function blocked(
  { session, queryId }: QueryCall,
  records: readonly TranscriptRecord[],
): Promise<StopVerdict> {
  await session.store.log.append(
    session.lease,
    records.map((record): LogEntry => ({ type: 'record', queryId, record })),
  );
  return { type: 'blocked', leaf: records.at(-1)?.uuid ?? '' };
}

function lastReply(
  chain: readonly TranscriptRecord[],
): { readonly text: string; readonly error: string | undefined } | null {
  const last = chain.findLast((record) => record.type === 'assistant');
  if (last?.type !== 'assistant') return null;
  const text = last.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return { text: text.join('\n'), error: last.error };
}
