import {
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities, VerifyApprovalInput } from '../activities/interface';
import { VERIFY_APPROVAL } from './activity-options';
import {
  answer,
  approve,
  deny,
  granted,
  type ApprovalInput,
  type ApprovalKind,
  type ApprovalReceipt,
  type CallReceipt,
  type DecidedCall,
  type Decision,
  type Granted,
} from './approval';
import { findAsked } from './find-asked';
import type { OpenQuestions } from './open-questions';
import type { Placement } from './placement';
import { readApproval, type ReadApproval } from './read-approval';

const { verifyApproval } = proxyActivities<Activities>(VERIFY_APPROVAL);

/** Who did not say. */
const SOMEBODY = 'somebody';

const UPDATES = { approve, deny, answer };

const DESCRIPTIONS: Readonly<Record<ApprovalKind, string>> = {
  approve:
    'Lets calls that wait run. {"toolUseId": "toolu_…", "who": "you"}; several: "toolUseIds": ["…"] or "all". Optional: note, digest, remember (calls like it need nobody from now on).',
  deny: 'Refuses calls that wait; the model reads the note. {"toolUseId": "toolu_…", "who": "you", "note": "why"}; several: "toolUseIds": ["…"] or "all".',
  answer:
    'Answers a question of the model. {"toolUseId": "toolu_…", "who": "you", "answers": ["…"]}',
};

/** What approvals touch of a query. */
interface ApprovalWorld {
  readonly questions: OpenQuestions;
  readonly placement: Placement;
  /** Workflow ids of the queries that it works for and with: what was granted is granted to them as well. */
  readonly relatives: () => readonly string[];
}

/** The Updates by which people decide. One that cannot be followed is refused before it is in the history. */
export function acceptApprovals(world: ApprovalWorld): void {
  const { questions } = world;
  for (const kind of ['approve', 'deny', 'answer'] as const) {
    setHandler(UPDATES[kind], (input) => decideCalls(kind, input, world), {
      validator: (input: ApprovalInput) => {
        findAsked(kind, readApproval(kind, input), questions);
      },
      description: DESCRIPTIONS[kind],
    });
  }
  setHandler(granted, (grant, from) => spread(world, grant, from), {
    description: 'What a query tells another one of its session that people granted.',
  });
}

async function decideCalls(
  kind: ApprovalKind,
  input: ApprovalInput,
  world: ApprovalWorld,
): Promise<ApprovalReceipt> {
  const { questions } = world;
  const approval = readApproval(kind, input);
  const first = findAsked(kind, approval, questions);
  const isSigned = approval.signature !== null && first.waiting.length > 0;
  if (isSigned) await verify({ kind, calls: first.named }, approval, world);
  // Others may have decided while the signature was looked at.
  const { waiting, decided } = isSigned ? findAsked(kind, approval, questions) : first;
  const decision: Decision = {
    behavior: kind === 'deny' ? 'deny' : 'allow',
    by: approval.who ?? SOMEBODY,
    at: new Date().toISOString(),
    ...(approval.note !== null && { note: approval.note }),
    ...(approval.remember && { remember: true }),
    ...(kind === 'answer' && { answers: approval.answers }),
    ...(isSigned && { isSigned }),
  };
  const fresh = waiting.map((one) => questions.decide(one, decision));
  if (approval.remember) {
    for (const { call, by } of fresh) await spread(world, { call, by }, null);
  }
  return toReceipt(fresh, decided);
}

/** Looks at calls again that a grant may cover, here and in the other queries of the session. */
async function spread(
  { questions, relatives }: ApprovalWorld,
  grant: Granted,
  from: string | null,
): Promise<void> {
  questions.reconsider(grant);
  const { workflowId } = workflowInfo();
  const others = relatives().filter((relative) => relative !== from);
  const tell = others.map((relative) =>
    // One that has ended has nothing that waits.
    getExternalWorkflowHandle(relative)
      .signal(granted, grant, workflowId)
      .catch(() => undefined),
  );
  await CancellationScope.nonCancellable(() => Promise.all(tell));
}

/** Fails: `Approval.BadSignature`. */
async function verify(
  { kind, calls }: Pick<VerifyApprovalInput, 'kind' | 'calls'>,
  { who, note, remember, answers, signature }: ReadApproval,
  { placement }: ApprovalWorld,
): Promise<void> {
  // A query that is being stopped still tells whoever asked.
  const refusal = await CancellationScope.nonCancellable(() =>
    placement.place((where) =>
      verifyApproval.executeWithOptions({ summary: `signature · ${kind}`, ...where }, [
        { kind, calls, who, note, remember, answers, signature: signature ?? '' },
      ]),
    ),
  );
  if (refusal === null) return;
  throw ApplicationFailure.nonRetryable(refusal, 'Approval.BadSignature');
}

function toReceipt(fresh: readonly DecidedCall[], before: readonly DecidedCall[]): ApprovalReceipt {
  const calls = [
    ...fresh.map((decided) => toCallReceipt(decided, true)),
    ...before.map((decided) => toCallReceipt(decided, false)),
  ];
  return { message: calls.map(sentenceOf).join(' '), calls };
}

const toCallReceipt = ({ call, ...decided }: DecidedCall, isNew: boolean): CallReceipt => ({
  toolUseId: call.id,
  ...decided,
  isNew,
});

function sentenceOf({ toolUseId, name, standing, by, at, isNew }: CallReceipt): string {
  const call = `${name} (${toolUseId})`;
  if (isNew) return `${call} is ${standing}.`;
  switch (standing) {
    case 'expired':
      return `${call} has expired: nobody had decided by ${at}.`;
    case 'stopped':
      return `${call} waits no longer: its query was stopped at ${at}.`;
    case 'being_judged':
      return `${call} is looked at again, because of what ${by} allowed at ${at}. If it still waits in a moment, decide then.`;
    case 'approved':
    case 'denied':
    case 'answered':
      return `${call} was already decided: ${standing} by ${by} at ${at}.`;
  }
}
