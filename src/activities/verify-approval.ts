import { isSignedBy, type SignableApproval } from '../permissions/approval-signature';
import { inputDigest } from '../permissions/input-digest';
import type { Attempt } from './attempt';
import type { ActivityDeps } from './deps';
import type { VerifyApprovalInput } from './interface';
import { openQueryCall } from './query-call';
import { findQuestion } from './run-tool/stored-question';

/** Holds a signature against the calls as they are in the store. null: it fits; else why it does not, for people. */
export async function verifyApproval(
  deps: ActivityDeps,
  attempt: Attempt,
  { signature, ...approval }: VerifyApprovalInput,
): Promise<string | null> {
  const { place, session, queryId } = await openQueryCall(deps, attempt);
  const { who } = approval;
  const { signers = {} } = (await deps.surroundings.approvals?.(place)) ?? {};
  const key = who !== null && Object.hasOwn(signers, who) ? signers[who] : undefined;
  if (key === undefined) {
    const known = Object.keys(signers).join(', ');
    const name = who === null ? 'who names nobody' : `${who} has no key`;
    return `${name} in approvals.signers of the settings (it has: ${known === '' ? 'none' : known}). Sign as one of them.`;
  }
  const calls: SignableApproval['calls'][number][] = [];
  for (const call of approval.calls) {
    const stored = await findQuestion(session.store, call);
    calls.push({ ...call, digest: inputDigest(stored?.question.input ?? null) });
  }
  return isSignedBy({ ...approval, queryId, calls }, signature, key)
    ? null
    : `The signature is not one of ${String(who)} for this decision: the key is another one, or what was signed is not what would run. Sign what waits now.`;
}
