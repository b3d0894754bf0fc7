import {
  ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { LoopEvent } from '../loop/events';
import { Locals } from '../loop/locals';
import { fromStoredState } from '../loop/migrate-state';
import { endAtMoneyLimit } from '../loop/money-limit';
import { queryLoop } from '../loop/query-loop';
import type { Carry } from '../loop/query-params';
import { STATE_VERSION } from '../loop/state';
import type { AbortReason, Terminal } from '../loop/terminal';
import { FINISH_QUERY } from './activity-options';
import {
  decide,
  interrupt,
  queryStatus,
  steer,
  toolReady,
  type QueryInput,
  type Steering,
} from './interface';
import type { AgentAnswer, AgentTask } from './agent-task';
import { createLoopDeps } from './loop-deps';
import { counted, see, startProgress, type Progress } from './progress';
import type { QueryMail } from './query-mail';
import { runAgent } from './run-agent';

const { finishQuery } = proxyActivities<Activities>(FINISH_QUERY);

type LoopEnd = Extract<LoopEvent, { type: 'end' }>;
type LoopTransition = Extract<LoopEvent, { type: 'transition' }>;

/** One message of a session; or a task that somebody's own Workflow gives, in a session of its own. */
export async function query(input: QueryInput | AgentTask): Promise<Terminal | AgentAnswer> {
  return 'prompt' in input ? runAgent(input) : runQuery(input);
}

/** The loop for one user message. Binds its effects to Activities, rolls over at any transition, and reports
 *  its end through `finishQuery`, because the session that started it may have rolled over meanwhile. */
async function runQuery(input: QueryInput): Promise<Terminal> {
  const mail: QueryMail = {
    queued: (input.carry?.queued ?? []).map(toSteering),
    abortReason: null,
    questions: new Map(),
    subAgents: new Set(),
    isSampling: false,
    unfinished: new Set(),
    running: new Set(),
    answeredEarly: new Set(),
    stop: (by) => stop(by),
    ready: [],
    onReady: () => undefined,
  };
  const progress = startProgress(input.carry);
  const loopScope = new CancellationScope();
  const stop = (by: AbortReason): void => {
    mail.abortReason ??= by;
    loopScope.cancel();
  };
  setHandler(steer, (messageId, priority = 'next') => {
    mail.queued = [...mail.queued, { messageId, priority }];
  });
  setHandler(interrupt, stop);
  setHandler(decide, ({ recordId }, interrupts = false) => {
    const question = mail.questions.get(recordId);
    question?.answered();
    if (question !== undefined) return 'decided';
    if (mail.abortReason !== null) return 'not_asked';
    if (!mail.isSampling && !mail.unfinished.has(recordId)) return 'not_asked';
    mail.answeredEarly.add(recordId);
    // A call that has its turn later will not get it: others may wait for an answer that nobody will give.
    if (interrupts && !mail.running.has(recordId)) stop('user');
    return 'decided';
  });
  setHandler(toolReady, (ready) => {
    mail.ready = [...mail.ready, ready];
    mail.onReady();
  });
  setHandler(queryStatus, () => {
    const { tally, counters, transition } = progress;
    const waiting = mail.queued.map(({ messageId }) => messageId);
    const questions = [...mail.questions.values()].map(({ call, name, summary }) => ({
      call,
      name,
      summary,
    }));
    const subAgents = [...mail.subAgents];
    return { turn: counters.turn, transition, counters, tally, waiting, questions, subAgents };
  });
  // Temporal's own Cancel is a stop like any other.
  CancellationScope.current().cancelRequested.catch(() => stop('user'));

  const left = await loopScope.run(() => driveLoop(input, mail, progress));

  return CancellationScope.nonCancellable(async () => {
    if (left.type === 'transition') {
      await condition(allHandlersFinished);
      const { tally, counters } = progress;
      const carry = {
        version: STATE_VERSION,
        state: left.state,
        locals: left.locals,
        tally,
        queued: mail.queued,
        iterations: counters.iterations,
        counters,
      };
      return continueAsNew<typeof query>({ ...input, carry });
    }
    const { messages, terminal } = left;
    const { sessionRunsAs } = input;
    await finishQuery.executeWithOptions({ summary: `end · ${terminal.reason}` }, [
      {
        messages,
        terminal,
        tally: progress.tally,
        sessionRunsAs,
        ...(progress.tracking !== null && { autoCompactTracking: progress.tracking }),
      },
    ]);
    await condition(allHandlersFinished);
    return terminal;
  });
}

/** Runs the generator until it ends, or until a transition at which the run should roll over. */
async function driveLoop(
  input: QueryInput,
  mail: QueryMail,
  progress: Progress,
): Promise<LoopEnd | LoopTransition> {
  const params = { ...input, carry: carryOf(input) };
  const deps = counted(createLoopDeps(input, mail), progress);
  for await (const event of queryLoop(params, deps)) {
    see(progress, event);
    if (event.type === 'end') return event;
    const end = endAtMoneyLimit(input, event, progress.tally);
    if (end !== null) return end;
    if (event.type !== 'transition') continue;
    const isDue = workflowInfo().historyLength >= input.rolloverEvents;
    // A query that is being stopped ends here and now: its cancelled scope would not survive the rollover.
    if (isDue && mail.abortReason === null) return event;
  }
  throw ApplicationFailure.nonRetryable('The loop ended without saying how.', 'Query.NoEnd');
}

const toSteering = (queued: Steering | string): Steering =>
  typeof queued === 'string' ? { messageId: queued, priority: 'next' } : queued;

function carryOf({ carry, ...params }: QueryInput): Carry | null {
  if (carry === null) return null;
  const locals = carry.locals ?? Locals.initial({ ...params, carry: null });
  try {
    return { state: fromStoredState(carry.version, carry.state), locals };
  } catch (error) {
    // Anything else would block the Workflow Task for ever.
    throw ApplicationFailure.nonRetryable(String(error), 'Query.UnknownStateVersion');
  }
}
