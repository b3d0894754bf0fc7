import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { QueuedMessage } from '../loop/context';
import type {
  LoopDeps,
  ModelEvent,
  ModelOutcome,
  ModelRequest,
  ToolCall,
  ToolOutcome,
} from '../loop/deps';
import { fromSentOutcome } from '../loop/sent-outcome';
import type { AbortReason } from '../loop/terminal';
import { CALL_MODEL, RUN_TOOL } from './activity-options';
import type { QueryInput, ToolReady } from './interface';

const { callModel } = proxyActivities<Activities>(CALL_MODEL);
const { runTool } = proxyActivities<Activities>(RUN_TOOL);

/** What Signals bring to a running query. */
export interface QueryMail {
  /** Ids of messages that came in meanwhile and were not taken yet. */
  queued: readonly string[];
  abortReason: AbortReason | null;
  /** Early calls that were signalled and not yet given to the loop. */
  ready: readonly ToolReady[];
  /** Wakes whoever waits for the next early call. */
  onReady: () => void;
}

/** Binds the loop's effects to Activities. */
export function createLoopDeps(input: QueryInput, mail: QueryMail): LoopDeps {
  return {
    callModel: (request) => callModelStream(request, input, mail),
    runTool: runToolActivity,

    takeQueued(): readonly QueuedMessage[] {
      const taken = mail.queued;
      mail.queued = [];
      return taken.map((messageId) => ({ type: 'message', messageId, steering: true }));
    },

    abortReason: () => mail.abortReason,
  };
}

/** One `callModel` Activity as a stream: early calls as they are signalled, then the outcome. */
async function* callModelStream(
  request: ModelRequest,
  input: QueryInput,
  mail: QueryMail,
): AsyncGenerator<ModelEvent, ModelOutcome> {
  mail.ready = [];
  const activity = callModelActivity(request, input);
  for (;;) {
    // Raw promises, not `condition`: in a cancelled scope the Activity must still be waited for.
    const woken = new Promise<undefined>((resolve) => {
      mail.onReady = () => resolve(undefined);
    });
    const ready = mail.ready;
    mail.ready = [];
    for (const { stream, toolUse } of ready) yield { type: 'tool_ready', stream, toolUse };
    const came = await Promise.race([activity, woken]);
    if (came !== undefined) return came;
  }
}

async function callModelActivity(request: ModelRequest, input: QueryInput): Promise<ModelOutcome> {
  const { messages, toolUseContext, turnCount, maxOutputTokensOverride } = request;
  const { model } = toolUseContext;
  try {
    const sent = await callModel.executeWithOptions({ summary: `turn ${turnCount} · model` }, [
      {
        messages,
        model,
        turn: turnCount,
        ...(maxOutputTokensOverride !== null && { maxOutputTokens: maxOutputTokensOverride }),
        early: input.gates.streamingToolExecution,
      },
    ]);
    return fromSentOutcome(sent, model);
  } catch (failure) {
    // Cancelled before it started: nothing of the request was chained yet.
    if (isCancellation(failure)) return { type: 'interrupted', messages, stream: '', toolUses: [] };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', messages, message: messageOf(failure) };
  }
}

async function runToolActivity({
  toolUse,
  toolUseContext,
  turnCount,
}: ToolCall): Promise<ToolOutcome> {
  const summary = `turn ${turnCount} · ${toolUse.name} ${toolUse.summary}`.slice(0, 200);
  const { id, recordId } = toolUse;
  const { permissionMode: mode, workingDirectory } = toolUseContext;
  try {
    return await runTool.executeWithOptions({ summary }, [
      { call: { id, recordId }, mode, workingDirectory },
    ]);
  } catch (failure) {
    if (isCancellation(failure)) return { type: 'interrupted' };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', message: messageOf(failure) };
  }
}

const messageOf = (failure: ActivityFailure): string =>
  (failure.cause?.message ?? failure.message).slice(0, 200);
