import type { AskedQuestion } from '../../client/agent-client';
import { questionName, type PermissionQuestion } from '../../transcript/permission';
import type { SessionStore } from '../../transcript/store';
import { printable } from './printable';

/** A call that waits, with what would run. */
export interface WaitingCall extends AskedQuestion {
  /** undefined: it is not in the store of this machine. */
  readonly stored: PermissionQuestion | undefined;
}

export function withInputs(
  questions: readonly AskedQuestion[],
  store: SessionStore,
): Promise<readonly WaitingCall[]> {
  return Promise.all(
    questions.map(async (asked) => {
      const document = await store.readDocument(questionName(asked.question.call));
      const { question } = (document ?? {}) as { readonly question?: PermissionQuestion };
      return { ...asked, stored: question };
    }),
  );
}

/** JSON for programs. */
export function toWaitingJson({ queryId, question, stored }: WaitingCall): object {
  const { call, ...shown } = question;
  return { toolUseId: call.id, recordId: call.recordId, queryId, ...shown, input: stored?.input };
}

/** For people: what waits, with all of its input, and how to decide about it. */
export function toWaitingText(sessionId: string, calls: readonly WaitingCall[]): string {
  if (calls.length === 0) return `Nothing waits for a decision in session ${sessionId}.\n`;
  return `${calls.map((call) => describe(sessionId, call)).join('\n\n')}\n`;
}

function describe(sessionId: string, { question, stored }: WaitingCall): string {
  const { call, name, summary, why, digest, askedAt, expiresAt, isQuestion } = question;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['why', why],
    ['since', askedAt],
    ['until', expiresAt],
    ['digest', digest],
    ['input', stored === undefined ? undefined : JSON.stringify(stored.input, null, 2)],
    ['decide', cureOf(sessionId, question)],
  ];
  const shown = rows.flatMap(([title, text]) =>
    text === undefined ? [] : [`  ${title.padEnd(7)} ${indented(text)}`],
  );
  const title = `${isQuestion === true ? 'Asks' : name} ${summary}`.trim();
  return [printable(`${call.id}  ${title}`), ...shown].join('\n');
}

function cureOf(
  sessionId: string,
  { call, isQuestion, needsSignature }: WaitingCall['question'],
): string {
  const signed = needsSignature === true ? ' --key FILE' : '';
  return isQuestion === true
    ? `everloop answer ${sessionId} ${call.id} "…"${signed}`
    : `everloop approve ${sessionId} ${call.id}${signed}, or deny`;
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => printable(line))
    .join('\n          ');
