import { z } from 'zod';
import { AnswerJson } from './answer-json';
import { traitsOf, type HookInput } from './hook-event';
import type { HookRun } from './hook-run';

/** What one hook wants; null: it says nothing of this. */
export interface HookAnswer {
  /** `continue: false`. */
  readonly stop: { readonly reason: string | null } | null;
  /** An objection; what it blocks is up to the event. */
  readonly blocking: string | null;
  /** PreToolUse only. */
  readonly permission: HookPermission | null;
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
  readonly context: string | null;
  /** PostToolUse only: what the model gets instead of the tool's output. */
  readonly updatedOutput: { readonly value: unknown } | null;
  /** PermissionRequest only: what a person would have answered. */
  readonly requestDecision: RequestDecision | null;
  /** For people. */
  readonly systemMessage: string | null;
  readonly suppressOutput: boolean;
  /** Why the hook failed, in a way that blocks nothing; for people. */
  readonly problem: string | null;
}

export interface HookPermission {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly reason: string;
}

export type RequestDecision =
  | {
      readonly behavior: 'allow';
      readonly updatedInput: Readonly<Record<string, unknown>> | null;
      readonly updatedPermissions: readonly unknown[];
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt: boolean };

const NOTHING: HookAnswer = {
  stop: null,
  blocking: null,
  permission: null,
  updatedInput: null,
  context: null,
  updatedOutput: null,
  requestDecision: null,
  systemMessage: null,
  suppressOutput: false,
  problem: null,
};

/** Reads what the run of a hook means. Pure; never throws. */
export function toHookAnswer(input: HookInput, run: HookRun): HookAnswer {
  switch (run.outcome) {
    case 'cancelled':
      return NOTHING;
    case 'timeout':
      return problem(`took longer than allowed and was ended after ${run.durationMs} ms`);
    case 'error': {
      const code = run.exitCode === null ? '' : ` (exit code ${run.exitCode})`;
      const text = run.stderr.trim();
      return problem(`failed${code}${text === '' ? '' : `: ${text}`}`);
    }
    case 'blocking':
      return objection(input, run.stderr.trim());
    case 'success':
      return run.isDetached ? NOTHING : readStdout(input, run.stdout.trim());
  }
}

function readStdout(input: HookInput, text: string): HookAnswer {
  const { printsContext } = traitsOf(input.hook_event_name);
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json === undefined) {
    if (printsContext) return { ...NOTHING, context: text === '' ? null : text };
    return text.startsWith('{')
      ? problem('printed JSON that cannot be read; its answer is lost')
      : NOTHING;
  }
  const parsed = AnswerJson.safeParse(json);
  if (!parsed.success) {
    return problem(`gave an answer that cannot be used. ${z.prettifyError(parsed.error)}`);
  }
  const meant = parsed.data.hookSpecificOutput?.hookEventName ?? input.hook_event_name;
  return meant === input.hook_event_name
    ? fromJson(input, parsed.data)
    : problem(`answered for ${meant}, but was asked for ${input.hook_event_name}`);
}

function fromJson(input: HookInput, json: AnswerJson): HookAnswer {
  const specific = json.hookSpecificOutput;
  const objects = json.decision === 'block' ? objection(input, json.reason ?? '') : NOTHING;
  return {
    ...objects,
    stop: json.continue === false ? { reason: json.stopReason ?? null } : null,
    permission: permissionOf(input, json) ?? objects.permission,
    updatedInput: specific?.updatedInput ?? null,
    context: specific?.additionalContext ?? null,
    updatedOutput: updatedOutputOf(input, specific),
    requestDecision: requestDecisionOf(input, json) ?? objects.requestDecision,
    systemMessage: json.systemMessage ?? null,
    suppressOutput: json.suppressOutput ?? false,
  };
}

/** Exit code 2 or `decision: "block"`. */
function objection(input: HookInput, given: string): HookAnswer {
  const reason = given === '' ? 'The hook gave no reason.' : given;
  switch (traitsOf(input.hook_event_name).objection) {
    case 'denies_call':
      return { ...NOTHING, permission: { behavior: 'deny', reason } };
    case 'denies_request':
      return {
        ...NOTHING,
        requestDecision: { behavior: 'deny', message: reason, interrupt: false },
      };
    case 'blocks':
      return { ...NOTHING, blocking: reason };
    case 'shown':
      return problem(`objected, too late for this event: ${reason}`);
  }
}

function permissionOf(input: HookInput, json: AnswerJson): HookPermission | null {
  if (input.hook_event_name !== 'PreToolUse') return null;
  const specific = json.hookSpecificOutput;
  // The older form; `block` is an objection.
  const said = specific?.permissionDecision ?? (json.decision === 'approve' ? 'allow' : null);
  if (said === null) return null;
  // To defer means that somebody decides later: a question, for us.
  const behavior = said === 'defer' ? 'ask' : said;
  const reason = specific?.permissionDecisionReason ?? json.reason;
  return { behavior, reason: reason ?? `A PreToolUse hook said ${behavior} and gave no reason.` };
}

function updatedOutputOf(
  input: HookInput,
  specific: AnswerJson['hookSpecificOutput'],
): HookAnswer['updatedOutput'] {
  if (input.hook_event_name !== 'PostToolUse') return null;
  const isMcpTool = input.tool_name.startsWith('mcp__');
  const value = specific?.updatedToolOutput ?? (isMcpTool ? specific?.updatedMCPToolOutput : null);
  return value === undefined || value === null ? null : { value };
}

function requestDecisionOf(input: HookInput, json: AnswerJson): RequestDecision | null {
  const said = json.hookSpecificOutput?.decision;
  if (input.hook_event_name !== 'PermissionRequest' || !said) return null;
  if (said.behavior === 'allow') {
    const { updatedInput, updatedPermissions } = said;
    return {
      behavior: 'allow',
      updatedInput: updatedInput ?? null,
      updatedPermissions: updatedPermissions ?? [],
    };
  }
  const message = said.message ?? 'A PermissionRequest hook denied this call.';
  return { behavior: 'deny', message, interrupt: said.interrupt ?? false };
}

function problem(text: string): HookAnswer {
  return { ...NOTHING, problem: text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
