import type { Command as Program } from 'commander';
import type { ApprovalKind } from '../../workflows/approval';
import { CliError } from '../cli-error';

/** `everloop approve`, `deny` and `answer`. */
export interface ApprovalCommand {
  readonly type: 'approval';
  readonly kind: ApprovalKind;
  /** Id of a session, the beginning of one, or a visibility query; of several sessions, only without ids. */
  readonly session: string;
  /** Empty: what waits is listed. */
  readonly toolUseIds: readonly string[] | 'all';
  /** Empty unless it is an answer. */
  readonly answers: readonly string[];
  /** null: whoever is logged in. */
  readonly who: string | null;
  readonly note: string | null;
  readonly remember: boolean;
  /** In the order of the ids; empty: none was given. */
  readonly digests: readonly string[];
  /** PEM file of an Ed25519 private key; null: unsigned. */
  readonly keyFile: string | null;
  readonly json: boolean;
}

interface Values {
  readonly all?: true;
  readonly who?: string;
  readonly note?: string;
  readonly remember?: true;
  readonly digest?: readonly string[];
  readonly key?: string;
  readonly json?: true;
}

const DESCRIPTIONS: Readonly<Record<ApprovalKind, string>> = {
  approve: 'Lets calls of a session that wait run; without ids: lists what waits.',
  deny: 'Refuses calls of a session that wait; without ids: lists what waits.',
  answer: 'Answers a question of a session; without an id: lists what waits.',
};

export const parseApproval =
  (kind: ApprovalKind) =>
  (program: Program, args: readonly string[]): ApprovalCommand => {
    program
      .description(DESCRIPTIONS[kind])
      .argument('<session>', 'session id, the beginning of one, or a visibility query');
    if (kind === 'answer') {
      program
        .argument('[tool-use-id]', 'the question')
        .argument('[answers...]', 'one for each of its questions, in their order');
    } else {
      program
        .argument('[tool-use-ids...]', 'calls to decide about')
        .option('--all', 'every call that waits now, in every session that is named');
    }
    program
      .option('--who <name>', 'who decides; else the name of the user')
      .option('--note <text>', kind === 'deny' ? 'why: the model reads it' : 'for the record')
      .option('--digest <digests...>', 'refuse if something else would run, in order of the ids');
    if (kind === 'approve') {
      program.option('--remember', 'allow calls like these for the rest of the session');
    }
    program
      .option('--key <file>', 'sign with this Ed25519 private key (PEM)')
      .option('--json', 'as one object');
    program.parse(args, { from: 'user' });
    const values = program.opts<Values>();
    const [session, ...rest] = program.processedArgs as [string, ...Words[]];
    const { ids, answers } = idsAndAnswers(kind, rest);
    if (values.all === true && ids.length > 0) {
      throw new CliError('Give ids, or --all, not both.');
    }
    return {
      type: 'approval',
      kind,
      session,
      toolUseIds: values.all === true ? 'all' : ids,
      answers,
      who: values.who ?? null,
      note: values.note ?? null,
      remember: values.remember ?? false,
      digests: values.digest ?? [],
      keyFile: values.key ?? null,
      json: values.json ?? false,
    };
  };

/** An argument, or all that are left. */
type Words = string | readonly string[] | undefined;

const listOf = (words: Words): readonly string[] => (words === undefined ? [] : [words].flat());

function idsAndAnswers(
  kind: ApprovalKind,
  [first, second]: readonly Words[],
): { readonly ids: readonly string[]; readonly answers: readonly string[] } {
  const ids = listOf(first);
  if (kind !== 'answer') return { ids, answers: [] };
  const answers = listOf(second);
  if (ids.length === 0 || answers.length > 0) return { ids, answers };
  throw new CliError(`everloop answer needs an answer behind ${ids.join(' ')}.`);
}
