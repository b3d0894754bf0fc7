import { ApplicationFailure } from '@temporalio/workflow';
import type { ApprovalKind } from './approval';

/** An `ApprovalInput` that is one. */
export interface ReadApproval {
  readonly ids: readonly string[] | 'all';
  /** null: they did not say. */
  readonly who: string | null;
  readonly note: string | null;
  /** In the order of the ids; empty: none was given. */
  readonly digests: readonly string[];
  readonly remember: boolean;
  /** Empty unless it is an answer. */
  readonly answers: readonly string[];
  /** null: unsigned. */
  readonly signature: string | null;
}

/** History keeps what is typed into forms. */
const TEXT_CHARS = 200;
const WHO_CHARS = 100;
const MOST_CALLS = 50;

const FIELDS: Readonly<Record<ApprovalKind, readonly string[]>> = {
  approve: ['toolUseId', 'toolUseIds', 'who', 'note', 'digest', 'remember', 'signature'],
  deny: ['toolUseId', 'toolUseIds', 'who', 'note', 'digest', 'signature'],
  answer: ['toolUseId', 'who', 'note', 'digest', 'answers', 'signature'],
};

/** Anybody may have typed it. Fails: `Approval.BadInput`, naming what to change. */
export function readApproval(kind: ApprovalKind, input: unknown): ReadApproval {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw bad(`${kind} takes an object such as ${EXAMPLES[kind]}, not ${shown(input)}.`);
  }
  const fields = input as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !FIELDS[kind].includes(name));
  if (unknown !== undefined) {
    throw bad(`${kind} has no field "${unknown}". It has ${FIELDS[kind].join(', ')}.`);
  }
  const ids = readIds(kind, fields);
  const answers = textsOf(fields, 'answers');
  const approval: ReadApproval = {
    ids,
    who: textOf(fields, 'who', WHO_CHARS),
    note: textOf(fields, 'note', TEXT_CHARS),
    digests: textsOf(fields, 'digest'),
    remember: readRemember(fields['remember']),
    answers,
    signature: textOf(fields, 'signature', TEXT_CHARS),
  };
  if (kind === 'answer' && answers.length === 0) {
    throw bad(`answer needs answers: ${EXAMPLES.answer}.`);
  }
  const typed = answers.join('').length + (approval.note?.length ?? 0);
  if (typed > TEXT_CHARS) {
    throw bad(
      `The text has ${typed} characters; at most ${TEXT_CHARS} are taken here. For more: everloop ${kind}.`,
    );
  }
  if (approval.digests.length > 0 && approval.digests.length !== ids.length) {
    throw bad('Give as many digests as ids, in the same order; "all" takes none.');
  }
  if (ids === 'all' && approval.signature !== null) {
    throw bad('A signature is for the calls that it names: give their ids instead of "all".');
  }
  return approval;
}

export const bad = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, 'Approval.BadInput');

const EXAMPLES: Readonly<Record<ApprovalKind, string>> = {
  approve: '{"toolUseId": "toolu_…", "who": "your name"}',
  deny: '{"toolUseId": "toolu_…", "who": "your name", "note": "why"}',
  answer: '{"toolUseId": "toolu_…", "who": "your name", "answers": ["…"]}',
};

function readIds(
  kind: ApprovalKind,
  fields: Readonly<Record<string, unknown>>,
): readonly string[] | 'all' {
  const { toolUseId, toolUseIds } = fields;
  if (toolUseIds === 'all' && toolUseId === undefined) return 'all';
  const given = [...textsOf(fields, 'toolUseId'), ...textsOf(fields, 'toolUseIds')];
  const ids = [...new Set(given)];
  if (ids.length === 0) {
    const several = kind === 'answer' ? '' : ', or toolUseIds with a list or "all"';
    throw bad(`${kind} needs toolUseId${several}: ${EXAMPLES[kind]}.`);
  }
  if (ids.length > MOST_CALLS) {
    throw bad(`${ids.length} ids were given; ${MOST_CALLS} at a time.`);
  }
  return ids;
}

function readRemember(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw bad(`remember is ${shown(value)}: give true or false.`);
}

function textOf(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  most: number,
): string | null {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw bad(`${name} is ${shown(value)}: give a text.`);
  if (value.length <= most) return value;
  throw bad(`${name} has ${value.length} characters; at most ${most} are taken here.`);
}

/** One text, or a list of them. */
function textsOf(fields: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.map((text) => {
    if (typeof text !== 'string' || text === '') {
      throw bad(`${name} holds ${shown(text)}: give texts that are not empty.`);
    }
    if (text.length <= TEXT_CHARS) return text;
    throw bad(`${name} holds ${text.length} characters; at most ${TEXT_CHARS} are taken here.`);
  });
}

const SHOWN_CHARS = 60;

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN_CHARS);
}
