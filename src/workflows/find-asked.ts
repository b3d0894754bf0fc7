import { ApplicationFailure } from '@temporalio/workflow';
import type { ToolUseRef } from '../loop/context';
import type { ApprovalKind, DecidedCall } from './approval';
import type { OpenQuestion } from './interface';
import type { OpenQuestions } from './open-questions';
import { bad, type ReadApproval } from './read-approval';

/** The calls that an approval is about. */
interface AskedCalls {
  readonly waiting: readonly OpenQuestion[];
  /** Those that were decided before. */
  readonly decided: readonly DecidedCall[];
  /** All of them, in the order in which they were named. */
  readonly named: readonly ToolUseRef[];
}

/** Finds the calls and checks that they can be decided so.
 *  Fails: `Approval.NotAsked`, naming the ids that wait; `Approval.DigestMismatch`, `Approval.BadInput`,
 *  `Approval.SignatureRequired`. */
export function findAsked(
  kind: ApprovalKind,
  approval: ReadApproval,
  questions: OpenQuestions,
): AskedCalls {
  const asked = approval.ids === 'all' ? findAll(kind, questions) : byId(approval.ids, questions);
  checkDigests(approval, asked.waiting);
  for (const waiting of asked.waiting) checkFits(kind, approval, waiting);
  return asked;
}

function findAll(kind: ApprovalKind, questions: OpenQuestions): AskedCalls {
  // A question has no yes: it stays for whoever answers it.
  const waiting = questions.open.filter(({ isQuestion }) => kind === 'deny' || isQuestion !== true);
  if (waiting.length === 0) throw notAsked('No call waits for that', questions);
  return { waiting, decided: [], named: waiting.map(({ call }) => call) };
}

function byId(ids: readonly string[], questions: OpenQuestions): AskedCalls {
  const waiting: OpenQuestion[] = [];
  const decided: DecidedCall[] = [];
  const named: ToolUseRef[] = [];
  for (const id of ids) {
    const found = questions.open.filter(({ call }) => isCalled(id, call));
    if (found.length > 1) {
      const records = found.map(({ call }) => call.recordId).join(', ');
      throw bad(`${found.length} calls have the id ${id}. Name one by its record: ${records}.`);
    }
    const before = questions.decided.findLast(({ call }) => isCalled(id, call));
    const call = found[0]?.call ?? before?.call;
    if (call === undefined) throw notAsked(`No call ${id} waits for a decision`, questions);
    named.push(call);
    if (found[0] !== undefined) waiting.push(found[0]);
    else if (before !== undefined) decided.push(before);
  }
  return { waiting, decided, named };
}

const isCalled = (name: string, { id, recordId }: ToolUseRef): boolean =>
  name === id || name === recordId;

function notAsked(what: string, { open }: OpenQuestions): ApplicationFailure {
  const ids = open.map(({ call, name, summary }) => `${call.id} (${`${name} ${summary}`.trim()})`);
  const waits =
    ids.length === 0 ? 'Nothing waits in this query.' : `These wait: ${ids.join(', ')}.`;
  return ApplicationFailure.nonRetryable(`${what}. ${waits}`, 'Approval.NotAsked');
}

function checkDigests({ ids, digests }: ReadApproval, waiting: readonly OpenQuestion[]): void {
  if (ids === 'all') return;
  for (const [index, digest] of digests.entries()) {
    const asked = waiting.find(({ call }) => isCalled(ids[index] ?? '', call));
    if (asked === undefined || asked.digest === digest) continue;
    throw ApplicationFailure.nonRetryable(
      `The digest of ${asked.call.id} is ${String(asked.digest)}, not ${digest}: what would run is not what you saw. Look at it again.`,
      'Approval.DigestMismatch',
    );
  }
}

function checkFits(
  kind: ApprovalKind,
  { remember, signature }: ReadApproval,
  { call, name, isQuestion, canRemember, needsSignature }: OpenQuestion,
): void {
  if (kind === 'approve' && isQuestion === true) {
    throw bad(`${call.id} is a question: give its answer with answer, or pass it with deny.`);
  }
  if (kind === 'answer' && isQuestion !== true) {
    throw bad(`${call.id} is a call of ${name}, not a question: use approve or deny.`);
  }
  if (remember && canRemember !== true) {
    throw bad(
      `${call.id} cannot be remembered, because no rule would cover it: leave remember out.`,
    );
  }
  if (needsSignature === true && signature === null) {
    throw ApplicationFailure.nonRetryable(
      `${call.id} needs a signed decision: everloop ${kind} SESSION ${call.id} --key FILE`,
      'Approval.SignatureRequired',
    );
  }
}
