import type { CompactOutcome, CompactRequest } from '../../src/loop/compaction';
import type { Context } from '../../src/loop/context';
import type {
  Drained,
  FinishedBatch,
  LoopDeps,
  ModelEvent,
  ModelRequest,
  QueuePriority,
  ToolCall,
} from '../../src/loop/deps';
import type { ModelOutcome, ToolOutcome } from '../../src/loop/outcomes';
import type { StopPosition, StopVerdict } from '../../src/loop/stop-hooks';
import type { AbortReason } from '../../src/loop/terminal';
import { DONE } from './builders';

type RunTool = (call: ToolCall, deps: ScriptedDeps) => Promise<ToolOutcome>;

/** What the host answers beside model replies. Lists are played in order and fail when they are used up. */
export interface Host {
  readonly runTool?: RunTool;
  readonly compactions?: readonly Scripted<CompactOutcome>[];
  readonly drains?: readonly Drained[];
  readonly verdicts?: readonly Scripted<StopVerdict>[];
  /** By the reference that the loop was given, `label-<turn>`; absent: null. */
  readonly labels?: Readonly<Record<string, string>>;
}

export type Scripted<T> = T | ((deps: ScriptedDeps) => T);

/** A host whose model, compactions and hooks are scripts, and that remembers what it was asked. */
export interface ScriptedDeps extends LoopDeps {
  readonly requests: ModelRequest[];
  readonly toolCalls: ToolCall[];
  readonly compactRequests: CompactRequest[];
  readonly drainRequests: Context[];
  readonly positions: StopPosition[];
  readonly labelled: FinishedBatch[];
  readonly takenUpTo: QueuePriority[];
  /** Not yet taken. */
  queued: string[];
  queuedForLater: string[];
  stop(by: AbortReason): void;
}

export type Step =
  ModelOutcome | ((deps: ScriptedDeps) => AsyncGenerator<ModelEvent, ModelOutcome>);

/** `given`: a function stands for a host that only runs tools. */
export function scriptedDeps(steps: readonly Step[], given: Host | RunTool = {}): ScriptedDeps {
  const host: Host = typeof given === 'function' ? { runTool: given } : given;
  let stoppedBy: AbortReason | null = null;
  const deps: ScriptedDeps = {
    requests: [],
    toolCalls: [],
    compactRequests: [],
    drainRequests: [],
    positions: [],
    labelled: [],
    takenUpTo: [],
    queued: [],
    queuedForLater: [],

    async *callModel(request) {
      const step = next('reply', deps.requests, request, steps);
      return typeof step === 'function' ? yield* step(deps) : step;
    },
    runTool(toolCall) {
      deps.toolCalls.push(toolCall);
      return host.runTool?.(toolCall, deps) ?? Promise.resolve(DONE);
    },
    async compact(request) {
      return played(next('compaction', deps.compactRequests, request, host.compactions ?? []));
    },
    async drainCollapses(messages) {
      return next('drain', deps.drainRequests, messages, host.drains ?? []);
    },
    async runStopHooks(position) {
      return played(next('verdict', deps.positions, position, host.verdicts ?? []));
    },
    startToolUseSummary(batch) {
      deps.labelled.push(batch);
      return `label-${batch.turnCount}`;
    },
    toolUseSummary: (reference) => Promise.resolve(host.labels?.[reference] ?? null),
    takeQueued(upTo) {
      deps.takenUpTo.push(upTo);
      const taken = upTo === 'later' ? [...deps.queued, ...deps.queuedForLater] : deps.queued;
      deps.queued = [];
      if (upTo === 'later') deps.queuedForLater = [];
      return taken.map((messageId) => ({ type: 'message', messageId, steering: true }));
    },
    abortReason: () => stoppedBy,
    stop: (by) => void (stoppedBy ??= by),
  };
  const played = <T extends object>(scripted: Scripted<T>): T =>
    typeof scripted === 'function' ? scripted(deps) : scripted;
  return deps;
}

function next<Asked, Answer>(
  kind: string,
  asked: Asked[],
  request: Asked,
  answers: readonly Answer[],
): Answer {
  const answer = answers[asked.push(request) - 1];
  if (answer === undefined) throw new Error(`No ${kind} for request ${asked.length}.`);
  return answer;
}
