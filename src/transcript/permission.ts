import type { ToolUseRef } from '../loop/context';

/** A call that waits for somebody's word. Stored with the session as long as nobody has answered. JSON. */
export interface PermissionQuestion {
  readonly call: ToolUseRef;
  readonly toolName: string;
  /** What would run. */
  readonly input: unknown;
  /** Why nobody but a person can decide. */
  readonly reason: string;
  /** Kind of the reason: rule, mode, hook … */
  readonly reasonType: string;
  /** Rules that would let it through, as one would write them; empty: none can. */
  readonly suggestedRules: readonly string[];
  readonly blockedPath: string | null;
}

/** What somebody said. The first answer counts. */
export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** Runs instead of what the model wrote. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly grants?: PermissionGrants;
      /** Who said so, for the record. */
      readonly by: string;
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      /** The query ends as well. */
      readonly interrupt?: true;
      readonly by: string;
    };

/** What an answer allows or forbids for the rest of the session: rules as one would write them. */
export interface PermissionGrants {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly directories: readonly string[];
}

export const NO_GRANTS: PermissionGrants = { allow: [], deny: [], ask: [], directories: [] };

export function addGrants(a: PermissionGrants, b: PermissionGrants): PermissionGrants {
  const union = (key: keyof PermissionGrants) => [...new Set([...a[key], ...b[key]])];
  return {
    allow: union('allow'),
    deny: union('deny'),
    ask: union('ask'),
    directories: union('directories'),
  };
}

/** Who decided about a call that waited, for the record. JSON. */
export interface PermissionDecision {
  readonly call: ToolUseRef;
  readonly toolName: string;
  readonly behavior: PermissionAnswer['behavior'];
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
  readonly note?: string;
  /** Calls like it were granted as well. */
  readonly remember?: true;
  /** With the key of `by`. */
  readonly isSigned?: true;
}

/** Name of the document that holds a question. */
export const questionName = ({ recordId }: ToolUseRef): string => `question-${recordId}`;
/** Name of the document that holds who decided. */
export const decisionName = ({ recordId }: ToolUseRef): string => `decision-${recordId}`;
/** Name of the document that holds what was granted in the session. */
export const GRANTS = 'grants';
