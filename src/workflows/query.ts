import {
  ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { LoopEvent } from '../loop/events';
import { Locals } from '../loop/locals';
import { fromStoredState } from '../loop/migrate-state';
import { endAtLimit } from '../loop/limits';
import { queryLoop } from '../loop/query-loop';
import type { Carry, QueryParams } from '../loop/query-params';
import { STATE_VERSION, State } from '../loop/state';
import { Tally, costOfQuery, tokensOfQuery, type Spent } from '../loop/tally';
import type { AbortReason, Terminal } from '../loop/terminal';
import { acceptAdjustments } from './accept-adjustments';
import { FINISH_QUERY } from './activity-options';
import {
  decide,
  interrupt,
  queryStatus,
  steer,
  toolReady,
  withdraw,
  type QueryInput,
  type Steering,
} from './interface';
import { acceptApprovals } from './accept-approvals';
import type { AgentAnswer, AgentTask } from './agent-task';
import { Hold } from './hold';
import { createLoopDeps } from './loop-deps';
import { counted, see, startProgress, type Progress } from './progress';
import { Placement } from './placement';
import { OpenQuestions } from './open-questions';
import { displayQuery } from './query-display';
import type { QueryMail } from './query-mail';
import { runAgent } from './run-agent';
import { SubAgents } from './sub-agents';

const { finishQuery } = proxyActivities<Activities>(FINISH_QUERY);

type LoopEnd = Extract<LoopEvent, { type: 'end' }>;
type LoopTransition = Extract<LoopEvent, { type: 'transition' }>;

/** One message of a session; or a task that somebody's own Workflow gives, in a session of its own. */
export async function query(input: QueryInput | AgentTask): Promise<QueryEnd | AgentAnswer> {
  return 'prompt' in input ? runAgent(input) : runQuery(input);
}

/** The loop for one user message. Binds its effects to Activities, rolls over at any transition, and reports
 *  its end through `finishQuery`, because the session that started it may have rolled over meanwhile. */
async function runQuery(input: QueryInput): Promise<QueryEnd> {
  const progress = startProgress(input.carry);
  const hold: Hold = new Hold(input, progress, () => mail.abortReason);
  const mail: QueryMail = {
    queued: (input.carry?.queued ?? []).map(toSteering),
    abortReason: null,
    questions: new OpenQuestions(input.carry?.decided ?? []),
    subAgents: new SubAgents(hold, progress),
    placement: new Placement(input.workspace),
    isSampling: false,
    unfinished: new Set(),
    running: new Set(),
    answeredEarly: new Set(),
    stop: (by) => stop(by),
    ready: [],
    onReady: () => undefined,
  };
  /** Messages that were taken back and may still be on their way. */
  const withdrawn = new Set<string>();
  const loopScope = new CancellationScope();
  const stop = (by: AbortReason): void => {
    mail.abortReason ??= by;
    progress.metrics.stopping();
    loopScope.cancel();
  };
  setHandler(
    steer,
    (messageId, priority = 'next') => {
      if (!withdrawn.has(messageId)) mail.queued = [...mail.queued, { messageId, priority }];
    },
    { description: 'What a session tells its query of a message that came in.' },
  );
  setHandler(
    withdraw,
    (id) => {
      if (progress.tally.consumed.includes(id)) return false;
      mail.queued = mail.queued.filter(({ messageId }) => messageId !== id);
      withdrawn.add(id);
      return true;
    },
    { description: 'Takes a message back that the query has not taken up. For clients.' },
  );
  setHandler(interrupt, stop, { description: 'Stops the query: "user".' });
  acceptAdjustments(hold, mail);
  acceptApprovals({
    questions: mail.questions,
    placement: mail.placement,
    relatives: () => [...callerOf(input), ...mail.subAgents.running],
  });
  setHandler(
    decide,
    (call, interrupts = false, by = 'host') => {
      const { recordId } = call;
      if (mail.questions.answeredInStore(recordId, by)) return 'decided';
      const heard = mail.questions.wasHeard(recordId);
      if (heard !== 'unknown') return heard === 'heard' ? 'decided' : 'not_asked';
      if (mail.abortReason !== null) return 'not_asked';
      if (!mail.isSampling && !mail.unfinished.has(recordId)) return 'not_asked';
      mail.answeredEarly.add(recordId);
      // A call that has its turn later will not get it: others may wait for an answer that nobody will give.
      if (interrupts && !mail.running.has(recordId)) {
        progress.tally = Tally.afterDenial(progress.tally, call);
        stop('user');
      }
      return 'decided';
    },
    { description: 'Says that the answer to a question is in the store. For clients.' },
  );
  setHandler(
    toolReady,
    (ready) => {
      mail.ready = [...mail.ready, ready];
      mail.onReady();
    },
    { description: 'Tells of a safe call whose reply still streams.' },
  );
  setHandler(
    queryStatus,
    () => {
      const { tally, counters, transition } = progress;
      const waiting = mail.queued.map(({ messageId }) => messageId);
      const questions = mail.questions.open;
      const subAgents = mail.subAgents.running;
      return {
        turn: counters.turn,
        transition,
        counters,
        tally,
        waiting,
        questions,
        subAgents,
        paused: hold.isPaused,
        waitingFor: hold.waitingFor ?? (mail.placement.waitingFor === null ? null : 'workspace'),
        workspace: mail.placement.workspace?.name ?? null,
        crossed: hold.crossed,
        limits: hold.limits,
      };
    },
    { description: 'Turn, cost, counters, and what the query waits for.' },
  );
  // Temporal's own Cancel is a stop like any other.
  CancellationScope.current().cancelRequested.catch(() => stop('user'));

  const display = displayQuery(input, { mail, hold, progress });

  const left = await loopScope.run(() => driveLoop(input, mail, { progress, hold }));

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
        ...hold.carried,
        ...(mail.questions.decided.length > 0 && { decided: mail.questions.decided }),
      };
      return makeContinueAsNewFunc<typeof query>({ ...display.carried(), ...toNewestBuild() })({
        ...input,
        ...hold.limits,
        ...workspaceOf(mail),
        carry,
      });
    }
    const { messages, terminal } = left;
    const { sessionRunsAs } = input;
    display.end();
    const summary = `end · ${terminal.reason}`;
    await mail.placement.placeAnywhere((where) =>
      finishQuery.executeWithOptions({ summary, ...where }, [
        {
          messages,
          terminal,
          tally: progress.tally,
          sessionRunsAs,
          ...hostOf(mail),
          ...(progress.tracking !== null && { autoCompactTracking: progress.tracking }),
        },
      ]),
    );
    await condition(allHandlersFinished);
    // Whoever handed the work on counts it as its own.
    return sessionRunsAs === null ? { ...terminal, spent: spentOf(progress) } : terminal;
  });
}

/** Of a rollover: a run that is pinned to a build would hand it on. */
const toNewestBuild = () =>
  workflowInfo().targetWorkerDeploymentVersionChanged
    ? { initialVersioningBehavior: 'AUTO_UPGRADE' as const }
    : {};

/** `spent`: of a sub-agent. */
type QueryEnd = Terminal & { readonly spent?: Spent };

const spentOf = ({ tally }: Progress): Spent => ({
  costUsd: costOfQuery(tally),
  tokens: tokensOfQuery(tally),
});

/** Runs the generator until it ends, or until a transition at which the run should roll over. People may hold it at
 *  any transition, and before its first turn. */
async function driveLoop(
  input: QueryInput,
  mail: QueryMail,
  { progress, hold }: { readonly progress: Progress; readonly hold: Hold },
): Promise<LoopEnd | LoopTransition> {
  const params = hold.paramsFor(carryOf(input));
  if (hold.isHeld && (await hold.released()) === 'roll_over') return whereItBegan(params);
  const deps = counted(createLoopDeps(input, mail, hold), progress);
  for await (const event of queryLoop(params, deps)) {
    see(progress, event);
    if (event.type === 'end') return event;
    const end = endAtLimit(hold.limits, event, progress.tally, Date.now());
    if (end !== null) return end;
    if (event.type !== 'transition') continue;
    const { historyLength, targetWorkerDeploymentVersionChanged: hasNewBuild } = workflowInfo();
    const isDue = historyLength >= input.rolloverEvents || hasNewBuild;
    // A query that is being stopped ends here and now: its cancelled scope would not survive the rollover.
    if (isDue && mail.abortReason === null) return event;
    hold.reached(event.state.turnCount);
    if (hold.isHeld && (await hold.released()) === 'roll_over') return event;
  }
  throw ApplicationFailure.nonRetryable('The loop ended without saying how.', 'Query.NoEnd');
}

/** For a rollover of a run that was held from its beginning to its end. */
function whereItBegan(params: QueryParams): LoopTransition {
  const { state, locals } = params.carry ?? {
    state: State.initial(params),
    locals: Locals.initial(params),
  };
  return { type: 'transition', state, locals };
}

const workspaceOf = ({ placement: { workspace } }: QueryMail): Pick<QueryInput, 'workspace'> =>
  workspace === null ? {} : { workspace };

const hostOf = ({ placement }: QueryMail): { readonly hostQueue?: string } => {
  const { hostQueue } = placement.workspace ?? {};
  return hostQueue === undefined ? {} : { hostQueue };
};

/** Whoever handed the work to a sub-agent. */
const callerOf = ({ sessionRunsAs }: QueryInput): readonly string[] => {
  const { parent } = workflowInfo();
  return sessionRunsAs === null && parent !== undefined ? [parent.workflowId] : [];
};

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
