import { askModel, type CallOutcome, type Work } from './ask-model';
import { collectAttachments, NO_ATTACHMENTS } from './attachments';
import { withChanges } from './changes';
import { consult, isAdvised, unadvised } from './consult';
import { decide, type Stopped } from './decide';
import type { LoopDeps } from './deps';
import type { LoopEvent } from './events';
import { Locals } from './locals';
import type { Reply } from './outcomes';
import type { QueryParams } from './query-params';
import { State } from './state';
import type { Terminal } from './terminal';
import { collectResults } from './tool-batch';
import { createToolScheduler } from './tool-scheduler';
import { startSummary, tellSummary } from './tool-use-summary';

/** The agentic loop: asks the model, runs the tools it calls, and goes round until something ends it.
 *  Pure: every effect is one of `deps`. The `query` Workflow and the in-process host drive this one generator.
 *  Replay: deterministic as long as `deps` are. */
export async function* queryLoop(
  params: QueryParams,
  deps: LoopDeps,
): AsyncGenerator<LoopEvent, Terminal> {
  let { state, locals } = params.carry ?? {
    state: State.initial(params),
    locals: Locals.initial(params),
  };
  while (true) {
    state = withChanges(state, deps.takeChanges?.());
    const { toolUseContext, turnCount } = state;
    const tools = createToolScheduler({
      run: (toolUse, unwanted) =>
        deps.runTool({ toolUse, toolUseContext, turnCount, ...(unwanted && { unwanted }) }),
      mayStart: () => deps.abortReason() === null,
      maxConcurrency: params.maxToolConcurrency,
      siblingAbort: params.gates.siblingAbort,
    });
    // 1 prepare messages · 2 call the model · 3 process the stream
    const asked = yield* askModel({ state, locals, params, deps }, tools);
    const { outcome } = asked;
    if (outcome.type === 'reply') tellSampled(deps, outcome);
    const stoppedInStream = deps.abortReason() ?? (outcome.type === 'interrupted' ? 'user' : null);
    if (state.pendingToolUseSummary !== null) {
      yield* tellSummary(state.pendingToolUseSummary, deps);
    }
    const learnt = {
      autoCompactTracking: asked.tracking,
      toolUseContext: contextAfter(state, outcome),
    };
    const work: Work = {
      state: State.informed(state, learnt),
      locals: asked.locals,
      params,
      deps,
    };
    // 4 collect tool results
    const batch = yield* collectResults(outcome, tools, learnt.toolUseContext);
    const during = stoppedInStream === null && batch.results.length > 0 ? 'tools' : 'streaming';
    // 5 inject attachments
    const attachments = during === 'tools' ? collectAttachments(work, batch) : NO_ATTACHMENTS;
    for (const attachment of attachments.told) yield { type: 'attachment', attachment };
    // 6 decide
    const stop = (): Stopped | null => {
      const by = stoppedInStream ?? deps.abortReason();
      return by === null ? null : { by, during };
    };
    const consulted = isAdvised(work, outcome, batch, stop())
      ? await consult(work, outcome, batch)
      : unadvised(work);
    if (consulted.compaction !== undefined) {
      yield { type: 'compaction', trigger: 'reactive', outcome: consulted.compaction };
    }
    const decision = decide({
      ...work,
      locals: consulted.locals,
      outcome,
      batch,
      attachments: attachments.pending,
      advice: consulted.advice,
      toolUseSummary: startSummary(work, batch),
      stopped: stop(),
    });
    if (decision.type === 'end') {
      const { messages, terminal } = decision;
      yield { type: 'end', messages, terminal, autoCompactTracking: asked.tracking };
      return decision.terminal;
    }
    // 7 transition
    ({ state, locals } = decision);
    yield { type: 'transition', state, locals };
  }
}

/** The fallback model stays once it took over (spec/loop 4.8). */
const contextAfter = ({ toolUseContext }: State, outcome: CallOutcome): State['toolUseContext'] =>
  outcome.type === 'reply' ? { ...toolUseContext, model: outcome.model } : toolUseContext;

/** Hooks after a reply have no say: not even by failing. */
function tellSampled(deps: LoopDeps, reply: Reply): void {
  try {
    deps.afterSampling?.(reply);
  } catch {
    // Their own affair.
  }
}
