import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './outcome';

/** A promise that a killed run did not keep. */
export interface Violation {
  readonly rule:
    | 'ends'
    | 'conversation'
    | 'state'
    | 'result'
    | 'files'
    | 'effect lost'
    | 'effect twice'
    | 'unknown without cause'
    | 'model calls'
    | 'model refused';
  readonly detail: string;
}

export interface Judged {
  readonly undisturbed: Outcome;
  readonly killed: Outcome;
  /** The Worker died after it had announced a call and before it had started it: nobody can know more. */
  readonly mayBeUnknown: boolean;
  /** Requests beyond those of the undisturbed run: a killed Worker may have asked for what it could not report. */
  readonly mostRepeats: number;
  readonly ignore: readonly string[];
}

/** What the killed run broke. A call reported as unknown may differ, in its result and in its effect. */
export function judge(judged: Judged): readonly Violation[] {
  const { undisturbed, killed, mayBeUnknown, mostRepeats, ignore } = judged;
  const { unknown } = killed;
  const expected = withoutResults(undisturbed, unknown);
  const seen = withoutResults(killed, unknown);
  return [
    ...differences('conversation', expected.conversations, seen.conversations),
    ...differences('state', expected.states, seen.states),
    ...differences('result', expected.results, seen.results),
    ...(unknown.length > 0
      ? []
      : differences('files', without(expected.files, ignore), without(seen.files, ignore))),
    ...judgeEffects(undisturbed.effects, killed),
    ...(unknown.length > 0 && !mayBeUnknown
      ? [{ rule: 'unknown without cause' as const, detail: `calls ${unknown.join(', ')}` }]
      : []),
    ...judgeModel(undisturbed, killed, mostRepeats),
  ];
}

function judgeEffects(
  expected: Outcome['effects'],
  { effects, unknown }: Outcome,
): readonly Violation[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(effects)]);
  return [...names].flatMap((name): Violation[] => {
    const [due, had] = [expected[name] ?? 0, effects[name] ?? 0];
    const detail = `${JSON.stringify(name)} happened ${had} times instead of ${due}`;
    if (had > due) return [{ rule: 'effect twice', detail }];
    return had < due - unknown.length ? [{ rule: 'effect lost', detail }] : [];
  });
}

function judgeModel(
  undisturbed: Outcome,
  killed: Outcome,
  mostRepeats: number,
): readonly Violation[] {
  const more = killed.modelCalls - undisturbed.modelCalls;
  const detail = `${killed.modelCalls} instead of ${undisturbed.modelCalls}`;
  return [
    ...(more > mostRepeats || more < 0 ? [{ rule: 'model calls' as const, detail }] : []),
    ...killed.modelFailures.map((failure) => ({ rule: 'model refused' as const, detail: failure })),
  ];
}

function differences(
  rule: Violation['rule'],
  expected: unknown,
  seen: unknown,
): readonly Violation[] {
  const difference = firstDifference(expected, seen, '');
  return difference === null ? [] : [{ rule, detail: difference }];
}

/** The first place at which two values of JSON differ, with both; null: nowhere. */
function firstDifference(expected: unknown, seen: unknown, place: string): string | null {
  if (isDeepStrictEqual(expected, seen)) return null;
  if (isObject(expected) && isObject(seen)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(seen)])) {
      const difference = firstDifference(expected[key], seen[key], `${place}/${key}`);
      if (difference !== null) return difference;
    }
  }
  return `${place === '' ? '/' : place}: ${shown(seen)} instead of ${shown(expected)}`;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const MOST_CHARS = 300;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}

const without = (files: Outcome['files'], ignore: readonly string[]): Outcome['files'] =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !ignore.includes(name)));

/** Results of these calls are taken out, wherever a record bears one. */
function withoutResults(outcome: Outcome, calls: readonly string[]): Outcome {
  if (calls.length === 0) return outcome;
  const isMeant = (value: unknown): boolean =>
    isObject(value) &&
    typeof value['tool_use_id'] === 'string' &&
    calls.includes(value['tool_use_id']);
  const masked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(masked);
    if (isMeant(value)) return 'outcome unknown';
    if (!isObject(value)) return value;
    const content = isObject(value['message']) ? value['message']['content'] : null;
    const bearsOne = Array.isArray(content) && content.some(isMeant);
    const fields = Object.entries(value).filter(([key]) => !bearsOne || key !== 'toolUseResult');
    return Object.fromEntries(fields.map(([key, field]) => [key, masked(field)]));
  };
  return { ...outcome, conversations: masked(outcome.conversations) as Outcome['conversations'] };
}
