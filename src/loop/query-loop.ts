import { collectAttachments } from './attachments';
import { decide } from './decide';
import type { LoopDeps, LoopEvent } from './deps';
import type { QueryParams } from './query-params';
import { State } from './state';
import { streamReply } from './stream-reply';
import type { Terminal } from './terminal';
import { collectResults } from './tool-batch';
import { createToolScheduler } from './tool-scheduler';

/** The agentic loop: asks the model, runs the tools it calls, and goes round until something ends it.
 *  Pure: every effect is one of `deps`. The `query` Workflow and the in-process host drive this one generator.
 *  Replay: deterministic as long as `deps` are. */
export async function* queryLoop(
  params: QueryParams,
  deps: LoopDeps,
): AsyncGenerator<LoopEvent, Terminal> {
  let state = params.carry?.state ?? State.initial(params);
  while (true) {
    const { toolUseContext, turnCount } = state;
    const tools = createToolScheduler({
      run: (toolUse) => deps.runTool({ toolUse, toolUseContext, turnCount }),
      mayStart: () => deps.abortReason() === null,
      maxConcurrency: params.maxToolConcurrency,
    });
    // 1 prepare messages · 2 call the model · 3 process the stream
    const outcome = yield* streamReply(state, tools, deps, params);
    const stoppedInStream = deps.abortReason() ?? (outcome.type === 'interrupted' ? 'user' : null);
    // 4 collect tool results
    const batch = yield* collectResults(outcome, tools, toolUseContext);
    const by = stoppedInStream ?? deps.abortReason();
    const during = stoppedInStream === null && batch.results.length > 0 ? 'tools' : 'streaming';
    const stopped = by === null ? null : ({ by, during } as const);
    // 5 inject attachments
    const attachments = during === 'tools' ? yield* collectAttachments(state, params, deps) : [];
    // 6 decide
    const decision = decide({ state, params, outcome, batch, attachments, stopped });
    if (decision.type === 'end') {
      yield { type: 'end', messages: decision.messages, terminal: decision.terminal };
      return decision.terminal;
    }
    // 7 transition
    state = decision.state;
    yield { type: 'transition', state };
  }
}
