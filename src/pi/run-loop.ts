import type { LoopDeps } from '../loop/deps';
import type { Gates } from '../loop/gates';
import { queryLoop } from '../loop/query-loop';
import type { QueryParams } from '../loop/query-params';
import { askModel } from './ask-model';
import { endTurn } from './end-turn';
import { hold, leafOf, type Run } from './run';
import { NO_CALLS } from './tool-batch';

/** Drives the loop of the `query` Workflow over messages in memory, until nothing is left to do. */
export async function runLoop(run: Run): Promise<void> {
  const steering = (await run.config.getSteeringMessages?.()) ?? [];
  const params: QueryParams = {
    messages: { leaf: leafOf(run), pending: hold(run, steering) },
    toolUseContext: {
      model: run.config.model.id,
      permissionMode: 'bypassPermissions',
      workingDirectory: '',
      queryTracking: { chainId: run.config.sessionId ?? '', depth: 0 },
    },
    maxTurns: null,
    maxOutputTokensOverride: null,
    maxToolConcurrency: Number.POSITIVE_INFINITY,
    gates: GATES,
    carry: null,
  };
  const loop = queryLoop(params, createDeps(run));
  while ((await loop.next()).done !== true);
  await run.emit({ type: 'agent_end', messages: run.newMessages });
}

/** Pi leaves the size of the context to `transformContext`, and prepares calls when their reply is whole: only then
 *  is the mode of the batch known. */
const GATES: Gates = {
  streamingToolExecution: false,
  toolResultBudget: false,
  snip: false,
  microcompact: false,
  contextCollapse: false,
  autocompact: false,
  reactiveCompact: false,
  cappedOutput: false,
  compactAfterOutputLimit: false,
  tokenBudget: false,
  toolUseSummaries: false,
  siblingAbort: false,
};

const notOffered = (): never => {
  throw new Error('The loop asked for something that its gates leave out.');
};

function createDeps(run: Run): LoopDeps {
  // The loop expects no throw of a tool. One of a listener or of a hook ends the run when the batch is over.
  let failure: { readonly error: unknown } | null = null;
  return {
    callModel: (request) => askModel(run, request),
    async runTool({ toolUse }) {
      try {
        return await (run.batch ?? NO_CALLS).run(toolUse);
      } catch (error) {
        failure ??= { error };
        return { type: 'failed', message: String(error) };
      }
    },
    async endTurn(turn) {
      if (failure !== null) throw failure.error;
      return endTurn(run, turn);
    },
    // Steering is asked for when the turn has been told (`endTurn`), and a stop is the model's last message.
    takeQueued: () => [],
    abortReason: () => null,
    compact: notOffered,
    drainCollapses: notOffered,
    runStopHooks: notOffered,
    startToolUseSummary: notOffered,
    toolUseSummary: notOffered,
  };
}
