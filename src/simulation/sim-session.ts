import { ApplicationFailure } from '@temporalio/common';
import type { Attempt } from '../activities/attempt';
import { callModel } from '../activities/call-model/call-model';
import type { ActivityDeps } from '../activities/deps';
import { finishQuery } from '../activities/finish-query/finish-query';
import { runTool } from '../activities/run-tool/run-tool';
import type { Pending, ToolUse } from '../loop/context';
import type { Reply } from '../loop/outcomes';
import { Tally } from '../loop/tally';
import { queryWorkflowId } from '../loop/workflow-id';
import { StoreError } from '../transcript/store-error';
import type { Observed, ObservedCall } from './observed';
import { planQueries, type PlannedQuery } from './plan';
import type { Ending, SimMachine } from './sim-machine';
import { simulatedModel, type NamedCall, type PlannedCall } from './sim-model';
import {
  META,
  MODEL,
  openSession,
  openStore,
  SESSION_WORKFLOW,
  toMessage,
  WORKSPACE,
} from './sim-store';

/** An Activity that needs more will never end. */
const MOST_ATTEMPTS = 40;
const RETRY_MS = 500;

/** One session, from its first message to the end of its last query: what a client does, and what the Workflows
 *  have done in its name. */
export class SimSession {
  private lastCall = 0;

  constructor(
    private readonly machine: SimMachine,
    private readonly observed: Observed,
  ) {}

  /** Fails: Error when something that was begun never ends. */
  async play(): Promise<void> {
    await this.asClient('creates the session', async () => {
      try {
        await openStore().createSession(META);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'session_exists') throw error;
      }
    });
    let leaf: string | null = null;
    for (const query of planQueries(this.machine.random)) leaf = await this.query(query, leaf);
  }

  /** Does something as a client, and again until it has worked. */
  async asClient<T>(name: string, body: () => Promise<T>): Promise<T> {
    let last: unknown;
    for (let tries = 1; tries <= MOST_ATTEMPTS; tries++) {
      const client = this.machine.newProcess('client');
      const ending = await this.machine.attempt(client, name, body);
      if (ending.type === 'done') return ending.value;
      if (ending.type === 'failed') last = ending.error;
      await this.machine.sleep(RETRY_MS);
    }
    throw new Error(`A client could not do it: ${name}. Last failure: ${String(last)}`);
  }

  private async query(planned: PlannedQuery, before: string | null): Promise<string | null> {
    const { messageId, turns, isSentTwice } = planned;
    const send = async () => (await openSession()).putMessage(toMessage(messageId));
    await this.asClient(`sends ${messageId}`, send);
    this.observed.messages.push(messageId);
    if (isSentTwice) await this.asClient(`sends ${messageId} again`, send);
    let leaf = before;
    let pending: readonly Pending[] = [{ type: 'message', messageId }];
    for (let turn = 1; ; turn++) {
      const name = `${messageId}.${turn}`;
      const reply = await this.ask(messageId, {
        leaf,
        pending,
        turn,
        calls: turns[turn - 1] ?? [],
      });
      leaf = reply.leaf;
      this.observed.leaves.push(leaf);
      if (reply.toolUses.length === 0) break;
      await this.runCalls(messageId, name, reply.toolUses);
      pending = reply.toolUses.map((toolUse) => ({ type: 'tool_result', toolUse }));
    }
    const messages = { leaf, pending: [] };
    await this.perform(`end ${messageId}`, messageId, (deps, attempt) =>
      finishQuery(deps, attempt, {
        messages,
        terminal: { reason: 'completed', detail: 'end_turn' },
        tally: Tally.start(0),
        sessionRunsAs: SESSION_WORKFLOW,
      }),
    );
    return leaf;
  }

  private async ask(
    messageId: string,
    of: {
      readonly leaf: string | null;
      readonly pending: readonly Pending[];
      readonly turn: number;
      readonly calls: readonly PlannedCall[];
    },
  ): Promise<Reply> {
    const { leaf, pending, turn, calls } = of;
    const input = { messages: { leaf, pending }, model: MODEL, turn, early: false };
    const outcome = await this.perform(`ask ${messageId}.${turn}`, messageId, (deps, attempt) => {
      const { scheduler } = this.machine;
      const anthropic = simulatedModel(scheduler, () => calls.map((call) => this.named(call)));
      return callModel({ ...deps, anthropic }, attempt, input);
    });
    if (outcome.type === 'reply') return outcome;
    throw new Error(`The model's reply did not come: ${JSON.stringify(outcome)}`);
  }

  /** Safe ones at the same time, others one after the other. */
  private async runCalls(
    messageId: string,
    turn: string,
    calls: readonly ToolUse[],
  ): Promise<void> {
    const safe = calls.filter((call) => call.isConcurrencySafe);
    await Promise.all(safe.map((call) => this.runCall(messageId, turn, call)));
    for (const call of calls) {
      if (!call.isConcurrencySafe) await this.runCall(messageId, turn, call);
    }
  }

  private async runCall(messageId: string, turn: string, toolUse: ToolUse): Promise<void> {
    const { id, recordId, name: tool } = toolUse;
    const call: ObservedCall = { ref: { id, recordId }, tool, broken: [] };
    this.observed.calls.set(id, call);
    const input = {
      call: call.ref,
      mode: 'bypassPermissions',
      workingDirectory: WORKSPACE,
    } as const;
    const { faults } = this.machine;
    const cutsBefore = faults.count('power cut');
    const outcome = await this.perform(
      `${tool} ${turn} ${id}`,
      messageId,
      (deps, attempt) => runTool(deps, attempt, input),
      (ending) => this.noteBroken(call, ending),
    );
    // Also one between two attempts, when the call was nobody's.
    if (faults.count('power cut') > cutsBefore) {
      call.broken.push({ type: 'lost by a power cut', hadClaimed: false });
    }
    if (outcome.type === 'done') return;
    this.observed.violations.push(`Call ${id} came to ${JSON.stringify(outcome)}.`);
  }

  private noteBroken(call: ObservedCall, { type }: Broken): void {
    const hadClaimed = this.machine.commands.hasClaimed(call.ref.recordId);
    call.broken.push({ type, hadClaimed });
  }

  /** An Activity with its attempts, as the server does them. */
  private async perform<T>(
    activityId: string,
    messageId: string,
    body: (deps: ActivityDeps, attempt: Attempt) => Promise<T>,
    onBroken: (ending: Broken) => void = () => undefined,
  ): Promise<T> {
    const { machine } = this;
    let last: unknown;
    for (let number = 1; number <= MOST_ATTEMPTS; number++) {
      const worker = await machine.takeWorker();
      worker.attempts += 1;
      const attempt = attemptOf(messageId, activityId, number);
      const ending = await machine.attempt(worker.process, `${activityId} #${number}`, () =>
        body(worker.deps, attempt),
      );
      worker.attempts -= 1;
      if (ending.type === 'done') return ending.value;
      onBroken(ending);
      if (ending.type === 'failed') last = ending.error;
      if (last instanceof ApplicationFailure && last.nonRetryable === true) break;
      await machine.sleep(RETRY_MS);
    }
    throw new Error(`${activityId} never ended. Last failure: ${String(last)}`);
  }

  private named({ name }: PlannedCall): NamedCall {
    const id = `call-${++this.lastCall}`;
    switch (name) {
      case 'Bash':
        return { id, name, input: { command: id } };
      case 'Write':
        return { id, name, input: { file_path: fileOf(id), content: contentOf(id) } };
      default:
        return { id, name, input: { call: id } };
    }
  }
}

type Broken = Exclude<Ending<unknown>, { type: 'done' }>;

/** What a call of Write makes, and of what. */
export const fileOf = (call: string): string => `${WORKSPACE}/${call}.txt`;
export const contentOf = (call: string): string => `written by ${call}\n`;

function attemptOf(messageId: string, activityId: string, number: number): Attempt {
  const runId = `run-${messageId}`;
  const never = new AbortController().signal;
  return {
    workflowId: queryWorkflowId(SESSION_WORKFLOW, messageId),
    runId,
    activityId,
    number,
    key: `${runId}:${activityId}`,
    stop: never,
    over: never,
    forgotten: never,
    isQueryRunning: async () => true,
    signalToolReady: async () => undefined,
    signalQueryEnded: async () => undefined,
  };
}
