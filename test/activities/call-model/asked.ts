import { callModel } from '../../../src/activities/call-model/call-model';
import type { CallModelInput } from '../../../src/activities/interface';
import type { Pending } from '../../../src/loop/context';
import type { ModelOutcome, Reply } from '../../../src/loop/outcomes';
import type { FakeAttempt } from '../fake-attempt';
import { MODEL, type GivenWorker, type Said } from '../given';

/** Input of a request behind the leaf. */
export function input(
  leaf: string | null,
  pending: readonly Pending[],
  more: Partial<CallModelInput> = {},
): CallModelInput {
  return { messages: { leaf, pending }, model: MODEL, turn: 1, early: true, ...more };
}

/** The request that brings the message. */
export function ask(
  worker: GivenWorker,
  said: Said,
  attempt: FakeAttempt = said.attempt(),
  more: Partial<CallModelInput> & { readonly leaf?: string } = {},
): Promise<ModelOutcome> {
  const { leaf = null, ...rest } = more;
  return callModel(worker.deps, attempt, input(leaf, [said.pending], rest));
}

/** Fails: Error when the outcome is no reply. */
export function toReply(outcome: ModelOutcome): Reply {
  if (outcome.type === 'reply') return outcome;
  throw new Error(`Not a reply: ${JSON.stringify(outcome)}`);
}
