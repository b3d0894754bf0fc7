import path from 'node:path';
import type { PermissionMode } from '../loop/state';
import { isBlanketRule } from './auto-mode';
import { deniedByDontAsk, type Denial, type PermissionDecision, type Question } from './decision';
import { fileTarget, isInside, isSearch, type FileTarget } from './file-target';
import { findRule, isAllowedByRules, type MatchedCall } from './match-rule';
import { isProtectedPath } from './protected-path';
import { harmlessIn, isReadOnlyLine, pathsReadBy, readsInside } from './read-only-line';
import { toRuleText, type PermissionRule } from './rule';
import { suggestRules } from './suggestion';

export interface PermissionCall {
  readonly tool: { readonly name: string; readonly aliases: readonly string[] };
  readonly input: unknown;
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** The shell's folder: relative paths begin here. Absolute. */
  readonly workingDirectory: string;
  /** Folders that file tools may touch. Absolute, links resolved. */
  readonly workingDirectories: readonly string[];
  /** `tool.isReadOnly(input)`. */
  readonly readOnly: boolean;
  /** Whether one command of a line changes nothing, so that a rule for its neighbour is enough; omitted: none. */
  readonly isReadOnlyCommand?: (command: string) => boolean;
  /** Where the input's paths lead (`resolveLinks`); omitted: they are no links. */
  readonly realPaths?: readonly string[];
  /** What PreToolUse hooks decided; omitted: nothing. Their `deny` never comes here. */
  readonly hook?: { readonly behavior: 'allow' | 'ask'; readonly text: string };
  /** `permits`: it runs where it can do no harm, and settings take that for a permission. `left`: it wants to run
   *  outside of the sandbox that others run in. Omitted: neither. */
  readonly sandbox?: 'permits' | 'left';
}

interface Call extends PermissionCall, MatchedCall {
  readonly target: FileTarget | null;
  /** `paths` are all spellings, for prohibitions; these are where the call ends up, for permissions. */
  readonly destinations: readonly string[];
}

/** Tools that change nothing outside the conversation, or whose own calls are judged one by one. */
const FREE = new Set(
  (
    'Agent Skill TodoWrite TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop BashOutput KillShell Sleep ' +
    'ToolSearch ListMcpResourcesTool EnterPlanMode StructuredOutput'
  ).split(' '),
);
/** Tools that are a question to a person: no rule answers it. */
const INTERACTIVE = new Set(['AskUserQuestion', 'ExitPlanMode']);

const ALLOW: PermissionDecision = { behavior: 'allow' };

/** The chain in which the first that has an opinion decides. Pure; never throws.
 *  Source: spec/loop 5.6-5.8. */
export function decidePermission(permissionCall: PermissionCall): PermissionDecision {
  const { tool, input, workingDirectory, realPaths } = permissionCall;
  const target = fileTarget(tool.name, input, workingDirectory);
  const named = target?.paths ?? [];
  const destinations = target === null ? [] : (realPaths ?? named);
  const paths = [...new Set([...named, ...destinations])];
  const isShell = tool.name === 'Bash';
  const readOnly = permissionCall.readOnly || (isShell && isReadOnlyLine(permissionCall));
  const call: Call = { ...permissionCall, readOnly, target, paths, destinations };
  const decision =
    denyRule(call) ??
    askRule(call) ??
    hookDecision(call) ??
    interaction(call) ??
    leftSandbox(call) ??
    harmless(call) ??
    bypassMode(call) ??
    protectedFile(call) ??
    planModeEdit(call) ??
    acceptedEdit(call) ??
    allowRule(call) ??
    planMode(call) ??
    sandboxed(call) ??
    ask(call);
  return decision.behavior === 'ask' && call.mode === 'dontAsk'
    ? deniedByDontAsk(decision)
    : decision;
}

function denyRule(call: Call): Denial | null {
  const rule = findRule(call.rules, 'deny', call) ?? deniedReading(call);
  if (rule === undefined) return null;
  return {
    behavior: 'deny',
    message: `Permission to use ${call.tool.name} was denied by the rule ${toRuleText(rule)}. Do not try to get the same effect another way; go on without it.`,
    reason: { type: 'rule', rule: toRuleText(rule), source: rule.origin.source },
  };
}

/** A file that Read must not open must not be printed by a command that needs no permission either. */
function deniedReading(call: Call): PermissionRule | undefined {
  const paths = call.tool.name === 'Bash' && call.readOnly ? pathsReadBy(call) : [];
  const known = paths.filter((file) => file !== null);
  if (known.length === 0) return undefined;
  return findRule(call.rules, 'deny', { ...call, tool: READ, paths: known });
}

const READ = { name: 'Read', aliases: [] };

function askRule(call: Call): Question | null {
  const rule = findRule(call.rules, 'ask', call);
  if (rule === undefined) return null;
  return {
    ...question(call, `The rule ${toRuleText(rule)} wants a person to confirm ${call.tool.name}.`),
    reason: { type: 'rule', rule: toRuleText(rule), source: rule.origin.source },
    suggestedRules: [],
  };
}

/** A hook's yes stands in for a person's, so it comes after the rules that no person could overrule either. */
function hookDecision(call: Call): PermissionDecision | null {
  if (call.hook === undefined) return null;
  if (call.hook.behavior === 'allow') return ALLOW;
  const { text } = call.hook;
  return {
    ...question(call, `A hook wants a person to confirm ${call.tool.name}: ${text}`),
    reason: { type: 'hook', text },
    suggestedRules: [],
  };
}

function interaction(call: Call): Question | null {
  if (!INTERACTIVE.has(call.tool.name)) return null;
  return {
    ...question(call, `${call.tool.name} needs an answer from a person.`),
    reason: { type: 'user_interaction' },
    suggestedRules: [],
  };
}

/** Whoever allowed a command, or all of them, thought of it in the sandbox. */
function leftSandbox(call: Call): Question | null {
  if (call.sandbox !== 'left') return null;
  return {
    ...question(call, `${call.tool.name} wants to run this command outside of the sandbox.`),
    suggestedRules: [],
  };
}

function sandboxed({ sandbox }: Call): PermissionDecision | null {
  return sandbox === 'permits' ? ALLOW : null;
}

function harmless(call: Call): PermissionDecision | null {
  if (FREE.has(call.tool.name)) return ALLOW;
  if (call.target?.access === 'read') return outsidePath(call) === undefined ? ALLOW : null;
  return call.tool.name === 'Bash' && call.readOnly && readsInside(call) ? ALLOW : null;
}

function bypassMode({ mode }: Call): PermissionDecision | null {
  return mode === 'bypassPermissions' ? ALLOW : null;
}

/** Before the allow rules: `Edit` in a settings file does not mean the settings file itself. */
function protectedFile(call: Call): Question | null {
  if (call.target?.access !== 'write') return null;
  const file = call.paths.find((each) => isProtectedPath(each, call.workingDirectories));
  if (file === undefined) return null;
  return {
    ...question(call, `${file} is protected, because its content can run or change permissions.`),
    reason: { type: 'protected_path', path: file },
    suggestedRules: [],
    blockedPath: file,
  };
}

/** Before the allow rules: planning means that no file changes, whatever is allowed afterwards. */
function planModeEdit(call: Call): Denial | null {
  return call.mode === 'plan' && call.target?.access === 'write' ? deniedByPlan(call) : null;
}

function acceptedEdit(call: Call): PermissionDecision | null {
  const isAccepted = call.mode === 'acceptEdits' || call.mode === 'auto';
  const isEdit = isAccepted && call.target?.access === 'write';
  return isEdit && outsidePath(call) === undefined ? ALLOW : null;
}

function allowRule(call: Call): PermissionDecision | null {
  const covered = { ...call, paths: call.destinations };
  const rules =
    call.mode === 'auto' ? call.rules.filter((rule) => !isBlanketRule(rule)) : call.rules;
  return isAllowedByRules(rules, covered, harmlessIn(call)) ? ALLOW : null;
}

function planMode(call: Call): Denial | null {
  return call.mode === 'plan' && !call.readOnly ? deniedByPlan(call) : null;
}

function deniedByPlan(call: Call): Denial {
  return {
    behavior: 'deny',
    message: `Plan mode is on: ${call.tool.name} was not run, because it may change something. Only look around and work out the plan; nothing may be changed until the user leaves plan mode.`,
    reason: { type: 'mode', mode: 'plan' },
  };
}

function ask(call: Call): Question {
  const outside = call.target === null ? undefined : outsidePath(call);
  if (outside === undefined)
    return question(call, `${call.tool.name} needs a permission that no rule and no mode gives.`);
  return {
    ...question(call, `${outside} is outside the working folders.`),
    reason: {
      type: 'outside_working_directories',
      path: outside,
      folder: isSearch(call.tool.name) ? outside : path.dirname(outside),
    },
    blockedPath: outside,
  };
}

function question(call: Call, message: string): Question {
  return {
    behavior: 'ask',
    message,
    reason: { type: 'no_rule' },
    suggestedRules: suggestRules(call.tool.name, call.input, call.target),
    blockedPath: null,
  };
}

function outsidePath({ destinations, workingDirectories }: Call): string | undefined {
  return destinations.find((file) => !isInside(file, workingDirectories));
}
