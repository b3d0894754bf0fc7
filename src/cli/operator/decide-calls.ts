import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { sendApproval } from '../../client/send-approval';
import { readSigningKey, signApproval } from '../../permissions/approval-signature';
import { inputDigest } from '../../permissions/input-digest';
import type { PermissionAnswer } from '../../transcript/permission';
import type { SessionStore } from '../../transcript/store';
import { AskUserQuestionInput } from '../../tools/ask-user-question';
import type { ApprovalReceipt, CallReceipt } from '../../workflows/approval';
import { CliError, messageOf } from '../cli-error';
import type { Connected } from '../session-host';
import type { ApprovalCommand } from './approval-command';
import type { WaitingCall } from './waiting-calls';

export interface NamedCall extends WaitingCall {
  /** What the caller has seen; absent: they do not say. */
  readonly digest?: string;
}

/** Calls of one query. */
interface OneQuery {
  readonly connected: Connected;
  readonly store: SessionStore;
  readonly queryId: string;
  readonly calls: readonly NamedCall[];
}

/** What a Workflow takes in an Update; longer texts go through the store. */
const UPDATE_CHARS = 200;

/** Decides calls of one query. Fails: CliError, or as `sendApproval` does; nothing is decided then. */
export async function decideCalls(
  command: ApprovalCommand,
  of: OneQuery,
): Promise<ApprovalReceipt> {
  const { kind, note, answers, remember } = command;
  const who = command.who ?? userInfo().username;
  if ((note ?? '').length + answers.join('').length > UPDATE_CHARS) {
    return decideInStore(command, who, of);
  }
  const [first, ...others] = of.calls.map(({ question }) => question.call.recordId);
  const digests = of.calls.flatMap(({ digest = [] }) => digest);
  const signature = await sign(command, who, of);
  return sendApproval(of.connected.client, of.queryId, {
    kind,
    input: {
      ...(others.length === 0
        ? { toolUseId: first ?? '' }
        : { toolUseIds: [first ?? '', ...others] }),
      who,
      ...(note !== null && { note }),
      ...(remember && { remember }),
      ...(digests.length > 0 && { digest: digests }),
      ...(kind === 'answer' && { answers }),
      ...(signature !== null && { signature }),
    },
  });
}

/** null: nobody wants it signed. */
async function sign(
  { kind, note, remember, answers, keyFile }: ApprovalCommand,
  who: string,
  { queryId, calls }: OneQuery,
): Promise<string | null> {
  if (keyFile === null) return null;
  const signed = calls.map(({ question, stored }) => ({
    ...question.call,
    digest: inputDigest(stored?.input ?? null),
  }));
  try {
    const key = readSigningKey(await readFile(keyFile, 'utf8'));
    return signApproval({ kind, queryId, calls: signed, who, note, remember, answers }, key);
  } catch (error) {
    throw new CliError(
      `The key in ${keyFile} cannot be used: ${messageOf(error)} Give a PEM file with an Ed25519 private key: openssl genpkey -algorithm ed25519`,
    );
  }
}

/** The words go to the store, and the Workflow hears that they are there. */
async function decideInStore(
  command: ApprovalCommand,
  who: string,
  { connected, store, queryId, calls }: OneQuery,
): Promise<ApprovalReceipt> {
  const needsSignature = calls.some(({ question }) => question.needsSignature === true);
  if (command.kind === 'approve' || command.keyFile !== null || needsSignature) {
    throw new CliError(
      `Notes of ${command.kind}, and everything that is signed, have at most ${UPDATE_CHARS} characters. Shorten it.`,
    );
  }
  const receipts: CallReceipt[] = [];
  for (const waiting of calls) {
    const answer = toAnswer(command, who, waiting);
    const { call, name } = waiting.question;
    const counts = await store.putAnswer(call, answer);
    const heard = await connected.agent.answer(store, { queryId, call }, counts);
    receipts.push({
      toolUseId: call.id,
      name,
      standing: heard === 'not_asked' ? 'stopped' : STANDINGS[command.kind],
      by: counts.by,
      at: new Date().toISOString(),
      isNew: heard === 'decided' && isDeepStrictEqual(counts, answer),
    });
  }
  return { message: receipts.map(sentenceOf).join('\n'), calls: receipts };
}

const STANDINGS = { deny: 'denied', answer: 'answered' } as const;

function toAnswer(
  { kind, note, answers }: ApprovalCommand,
  by: string,
  { stored, question }: NamedCall,
): PermissionAnswer {
  if (kind !== 'answer') return { behavior: 'deny', message: note ?? '', by };
  const asked = AskUserQuestionInput.safeParse(stored?.input);
  if (!asked.success) {
    throw new CliError(
      `${question.call.id} is no question that can be answered at such length. Give at most ${UPDATE_CHARS} characters.`,
    );
  }
  const { questions } = asked.data;
  const given = questions.flatMap(({ question: text }, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [[text, answer] as const];
  });
  const updatedInput = { ...asked.data, answers: Object.fromEntries(given) };
  return { behavior: 'allow', updatedInput, by };
}

function sentenceOf({ name, toolUseId, standing, by, isNew }: CallReceipt): string {
  const call = `${name} (${toolUseId})`;
  if (isNew) return `${call} is ${standing}.`;
  if (standing === 'stopped') return `${call} waits no longer: somebody else was quicker.`;
  return `${call} was already decided by ${by}.`;
}
