import type { Client } from '@temporalio/client';
import type { RunNotes } from '../recovery/run-notes';
import { toSentOutcome } from '../loop/sent-outcome';
import { callModel } from './call-model/call-model';
import type { ActivityDeps } from './deps';
import { finishQuery } from './finish-query/finish-query';
import type { Activities } from './interface';
import { runTool } from './run-tool/run-tool';
import { asTemporalAttempt } from './temporal-attempt';

/** What the Worker registers. */
export function createActivities(
  deps: ActivityDeps,
  temporal: { readonly client: Client; readonly notes: RunNotes },
): Activities {
  return {
    callModel: (input) =>
      asTemporalAttempt(temporal, async (attempt) =>
        toSentOutcome(await callModel(deps, attempt, input), input.model),
      ),
    runTool: (input) => asTemporalAttempt(temporal, (attempt) => runTool(deps, attempt, input)),
    finishQuery: (input) =>
      asTemporalAttempt(temporal, (attempt) => finishQuery(deps, attempt, input)),
  };
}
