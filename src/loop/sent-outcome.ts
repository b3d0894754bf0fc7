import type { ContextWarning, ModelOutcome, Reply } from './outcomes';
import { NO_USAGE, type Usage } from './usage';

/** A model outcome as it crosses from Activity to Workflow. It stands in Event History once per turn, so what the
 *  Workflow knows already, or what is usual, is left out. */
export type SentOutcome = Exclude<ModelOutcome, Reply> | SentReply;

type Always = 'type' | 'leaf' | 'stream' | 'toolUses' | 'stopReason' | 'apiMs';

interface SentReply extends Pick<Reply, Always> {
  /** Without zeros. */
  readonly usage: Partial<Usage>;
  /** Absent: the one that was asked for. */
  readonly model?: string;
  /** There with `withheld`: only a recovery goes back to it. */
  readonly requestLeaf?: string;
  readonly withheld?: NonNullable<Reply['withheld']>;
  readonly apiError?: NonNullable<Reply['apiError']>;
  readonly hasStopHooks?: boolean;
  readonly hasTurnHooks?: boolean;
  readonly isEmpty?: boolean;
  readonly contextWarning?: ContextWarning;
  readonly costUsd?: number;
}

/** `model`: the one that was asked for. */
export function toSentOutcome(outcome: ModelOutcome, model: string): SentOutcome {
  if (outcome.type !== 'reply') return outcome;
  const { type, leaf, stream, toolUses, stopReason, apiMs, withheld, apiError } = outcome;
  const { hasStopHooks = false, hasTurnHooks = false, isEmpty = false } = outcome;
  const { contextWarning, costUsd } = outcome;
  return {
    type,
    leaf,
    stream,
    toolUses,
    stopReason,
    apiMs,
    usage: Object.fromEntries(Object.entries(outcome.usage).filter(([, tokens]) => tokens !== 0)),
    ...(outcome.model !== model && { model: outcome.model }),
    ...(withheld !== null && { withheld, requestLeaf: outcome.requestLeaf }),
    ...(apiError !== null && { apiError }),
    ...(hasStopHooks && { hasStopHooks }),
    ...(hasTurnHooks && { hasTurnHooks }),
    ...(isEmpty && { isEmpty }),
    ...(contextWarning !== undefined && { contextWarning }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

export function fromSentOutcome(sent: SentOutcome, model: string): ModelOutcome {
  if (sent.type !== 'reply') return sent;
  return {
    model,
    requestLeaf: sent.leaf,
    withheld: null,
    apiError: null,
    ...sent,
    usage: { ...NO_USAGE, ...sent.usage },
  };
}
