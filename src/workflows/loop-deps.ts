import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { CompactOutcome, CompactRequest } from '../loop/compaction';
import type { LoopDeps, QueuePriority } from '../loop/deps';
import type { StopVerdict } from '../loop/stop-hooks';
import { callModelStream } from './call-model-stream';
import { COMPACT, DRAIN, RUN_HOOKS } from './activity-options';
import { textOf } from './failure-text';
import { endTurnActivity } from './end-turn-activity';
import type { Hold } from './hold';
import type { QueryInput } from './interface';
import type { QueryMail } from './query-mail';
import { runToolActivity } from './run-tool-activity';
import { createToolUseSummaries } from './tool-use-summaries';

const { compact } = proxyActivities<Activities>(COMPACT);
const { drainCollapses } = proxyActivities<Activities>(DRAIN);
const { runStopHooks } = proxyActivities<Activities>(RUN_HOOKS);

/** Binds the loop's effects to Activities. */
export function createLoopDeps(input: QueryInput, mail: QueryMail, hold: Hold): LoopDeps {
  const summaries = createToolUseSummaries(mail.placement);
  return {
    callModel: (request) => callModelStream(request, input, mail),
    runTool: (call) => runToolActivity(call, mail, input),
    compact: (request) => compactActivity(request, mail),
    drainCollapses: (messages) =>
      mail.placement.place((where) =>
        drainCollapses.executeWithOptions({ summary: 'collapses · commit', ...where }, [messages]),
      ),

    async runStopHooks({ toolUseContext, ...position }): Promise<StopVerdict> {
      const { permissionMode: mode, workingDirectory } = toolUseContext;
      try {
        const summary = `hooks · ${position.event}`;
        return await mail.placement.place((where) =>
          runStopHooks.executeWithOptions({ summary, ...where }, [
            { ...position, mode, workingDirectory },
          ]),
        );
      } catch (failure) {
        // Hooks that cannot be run do not keep a query from ending; a stop is seen by the loop itself.
        if (isCancellation(failure) || failure instanceof ActivityFailure)
          return { type: 'passed' };
        throw failure;
      }
    },

    endTurn: (turn) => endTurnActivity(turn, mail),
    startToolUseSummary: (batch) => summaries.start(batch),
    toolUseSummary: (reference) => summaries.take(reference),
    takeQueued: (upTo) => takeQueued(mail, upTo, input.steering === 'one_at_a_time' ? 1 : Infinity),
    takeChanges: () => hold.takeChanges(),
    abortReason: () => mail.abortReason,
  };
}

function takeQueued(
  mail: QueryMail,
  upTo: QueuePriority,
  most: number,
): ReturnType<LoopDeps['takeQueued']> {
  const isWanted = ({ priority }: QueryMail['queued'][number]): boolean =>
    upTo === 'later' || priority !== 'later';
  const taken = mail.queued.filter(isWanted).slice(0, most);
  mail.queued = mail.queued.filter((message) => !taken.includes(message));
  return taken.map(({ messageId }) => ({ type: 'message', messageId, steering: true }));
}

async function compactActivity(
  request: CompactRequest,
  { placement }: QueryMail,
): Promise<CompactOutcome> {
  const { messages, toolUseContext, turnCount, trigger } = request;
  const { model, permissionMode: mode } = toolUseContext;
  try {
    return await placement.place((where) =>
      compact.executeWithOptions(
        { summary: `turn ${turnCount} · compact (${trigger})`, ...where },
        [{ messages, model, mode, trigger }],
      ),
    );
  } catch (failure) {
    if (isCancellation(failure)) return { type: 'interrupted', messages };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', messages, message: textOf(failure) };
  }
}
