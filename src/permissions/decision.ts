import type { PermissionMode } from '../loop/state';
import type { RuleSource } from './rule';

/** Whether a call may run. `message` is for the model, `reason` for people and programs. JSON. */
export type PermissionDecision = { readonly behavior: 'allow' } | Denial | Question;

export interface Denial {
  readonly behavior: 'deny';
  readonly message: string;
  readonly reason: DecisionReason;
}

export interface Question {
  readonly behavior: 'ask';
  readonly message: string;
  readonly reason: DecisionReason;
  /** What would let this call through, as one would write it after `--allowedTools`; empty: no rule can. */
  readonly suggestedRules: readonly string[];
  /** The file or folder that gave rise to the question; null: none did. */
  readonly blockedPath: string | null;
}

export type DecisionReason =
  | { readonly type: 'rule'; readonly rule: string; readonly source: RuleSource }
  | { readonly type: 'mode'; readonly mode: PermissionMode }
  | { readonly type: 'hook'; readonly text: string }
  | {
      readonly type: 'outside_working_directories';
      readonly path: string;
      /** What would have to be a working folder as well. */
      readonly folder: string;
    }
  | { readonly type: 'protected_path'; readonly path: string }
  | { readonly type: 'user_interaction' }
  | { readonly type: 'no_rule' }
  | { readonly type: 'nobody_to_ask' };

/** A question that no person and no host will answer. `cure` is for the person who started the run. */
export function deniedForNobodyToAsk(question: Question): Denial & { readonly cure: string } {
  return {
    behavior: 'deny',
    message:
      `${question.message} Nobody can be asked in this run, so the call was not made. ` +
      'Go on without it, or tell the user which permission the task needs.',
    reason: question.reason.type === 'no_rule' ? { type: 'nobody_to_ask' } : question.reason,
    cure: cureFor(question),
  };
}

/** Mode `dontAsk`: whatever is not allowed is denied. */
export function deniedByDontAsk(question: Question): Denial {
  return {
    behavior: 'deny',
    message: `${question.message} Permission mode dontAsk denies what no rule allows. Go on without this call.`,
    reason: { type: 'mode', mode: 'dontAsk' },
  };
}

/** Mode `auto`: whoever judges in a person's place said no. */
export const deniedByAutoMode = (toolName: string, reason: string): string =>
  `Permission mode auto did not allow this call of ${toolName}: ${reason} Do not try to get the same effect another way; find another way to the goal, or tell the user what is needed.`;

function cureFor({ reason, suggestedRules }: Question): string {
  switch (reason.type) {
    case 'rule':
      return `Remove the ask rule ${reason.rule} (${reason.source}), or start the run where somebody can answer.`;
    case 'hook':
      return 'Change the PreToolUse hook that asked, or start the run where somebody can answer.';
    case 'outside_working_directories':
      return `Allow the folder: --add-dir ${quote(reason.folder)}`;
    case 'protected_path':
      return 'Only --permission-mode bypassPermissions changes protected files without a question.';
    case 'user_interaction':
      return 'Start the run where somebody can answer.';
    case 'no_rule':
    case 'mode':
    case 'nobody_to_ask':
      return suggestedRules.length === 0
        ? 'Start the run where somebody can answer.'
        : `Allow it: --allowedTools ${suggestedRules.map(quote).join(' ')}`;
  }
}

function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
