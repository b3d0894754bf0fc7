import type { HookAnswer, HookPermission, RequestDecision } from './hook-answer';

/** What all hooks of one event want together. JSON. */
export interface HookVerdict {
  /** Any `continue: false`: the query ends. */
  readonly stop: { readonly reason: string | null } | null;
  /** Objections, in the order of the hooks; empty: none. */
  readonly blocking: readonly { readonly hook: string; readonly reason: string }[];
  /** deny > ask > allow; the reasons are those of all hooks that said so. */
  readonly permission: HookPermission | null;
  /** Of the first hook that has one. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
  readonly contexts: readonly string[];
  /** Of the first hook that has one. */
  readonly updatedOutput: { readonly value: unknown } | null;
  /** Any deny before the first allow. */
  readonly requestDecision: RequestDecision | null;
  /** For people. */
  readonly systemMessages: readonly string[];
  /** Hooks that failed without blocking anything; for people. */
  readonly warnings: readonly string[];
}

interface Answered {
  /** The hook's label. */
  readonly hook: string;
  readonly answer: HookAnswer;
}

/** Answers in the order of the hooks. Pure. */
export function mergeAnswers(event: string, answered: readonly Answered[]): HookVerdict {
  const answers = answered.map(({ answer }) => answer);
  const given = <Value>(values: readonly (Value | null)[]): readonly Value[] =>
    values.filter((value) => value !== null);
  const stops = given(answers.map(({ stop }) => stop));
  const decisions = given(answers.map(({ requestDecision }) => requestDecision));
  return {
    stop: stops.find(({ reason }) => reason !== null) ?? stops[0] ?? null,
    blocking: answered.flatMap(({ hook, answer: { blocking } }) =>
      blocking === null ? [] : [{ hook, reason: blocking }],
    ),
    permission: strictest(given(answers.map(({ permission }) => permission))),
    updatedInput: given(answers.map(({ updatedInput }) => updatedInput))[0] ?? null,
    contexts: given(answers.map(({ context }) => context)),
    updatedOutput: given(answers.map(({ updatedOutput }) => updatedOutput))[0] ?? null,
    requestDecision: decisions.find(({ behavior }) => behavior === 'deny') ?? decisions[0] ?? null,
    systemMessages: given(answers.map(({ systemMessage }) => systemMessage)),
    warnings: answered.flatMap(({ hook, answer: { problem } }) =>
      problem === null ? [] : [`${event} hook ${hook} ${problem}`],
    ),
  };
}

function strictest(permissions: readonly HookPermission[]): HookPermission | null {
  for (const behavior of ['deny', 'ask', 'allow'] as const) {
    const same = permissions.filter((permission) => permission.behavior === behavior);
    if (same.length > 0) {
      return { behavior, reason: [...new Set(same.map(({ reason }) => reason))].join('\n') };
    }
  }
  return null;
}
