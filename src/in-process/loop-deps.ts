import { drain } from '../loop/prepare/context-collapse';
import { toContextMessages } from '../activities/conversation/context-messages';
import { recordedDecisions } from '../activities/conversation/recorded-decisions';
import { attachmentRecord } from '../activities/new-record';
import type { Context } from '../loop/context';
import type { Drained, LoopDeps } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import { callModel } from './call-model';
import { compact } from './compact';
import { chainPending } from './pending-records';
import { recordDecided } from './prepared-context';
import type { Run } from './run';
import { runTool } from './run-tool';
import { runStopHook } from './stop-hook';

/** Binds the loop's effects to this process. `running`: the calls that have not ended. */
export function createLoopDeps(run: Run, running: Set<Promise<ToolOutcome>>): LoopDeps {
  return {
    callModel: (request) => callModel(run, request),
    runTool(call) {
      const outcome = runTool(run, call);
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    compact: (request) => compact(run, request),
    drainCollapses: async (messages) => drainCollapses(run, messages),
    runStopHooks: (position) => runStopHook(run, position),
    // Labels are for people who follow a session; here the consumer sees each call.
    startToolUseSummary: () => null,
    toolUseSummary: () => Promise.resolve(null),
    takeQueued() {
      const texts = run.options.takeSteering?.() ?? [];
      return texts.map((text) => {
        const record = attachmentRecord(run.facts(), 'queued_message', steeringText(text));
        run.transcript.hold(record);
        return { type: 'message', messageId: record.uuid, steering: true } as const;
      });
    },
    abortReason: () => (run.stop.aborted ? 'user' : null),
  };
}

function drainCollapses(run: Run, messages: Context): Drained {
  const { transcript, options } = run;
  const leaf = chainPending(transcript, messages, run.facts()) ?? '';
  const chain = transcript.chain(leaf);
  const { collapseLog } = recordedDecisions(chain);
  const { committed, log } = drain(toContextMessages(chain, options.model), collapseLog);
  if (committed === 0) return { leaf, committed };
  return { leaf: recordDecided(run, leaf, { collapseLog: log }), committed };
}

const steeringText = (text: string): string =>
  `<system-reminder>\nThe user wrote this while you were working:\n${text}\n\nTake it into account now, and make sure that it is answered when the current work is done.\n</system-reminder>`;
