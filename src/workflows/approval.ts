import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ToolUseRef } from '../loop/context';

/** What a parked call shows of itself. Its input stays in the store. */
export interface AskedFacts {
  /** Why a person has to decide, or what a question offers. At most 200 characters. */
  readonly why: string;
  /** First 16 hex digits of the SHA-256 of the JSON of what would run. */
  readonly digest: string;
  /** It is answered, not approved. */
  readonly isQuestion?: true;
  /** A grant can let calls like it through. */
  readonly canRemember?: true;
  readonly needsSignature?: true;
  /** Absent: it waits as long as it takes. */
  readonly timeout?: { readonly ms: number; readonly outcome: Decision['behavior'] };
}

/** What somebody decided about a call, as it crosses to `runTool`. */
export interface Decision {
  readonly behavior: 'allow' | 'deny';
  /** As they name themselves; where `isSigned`, whose key it was. */
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
  readonly note?: string;
  /** Calls like it need nobody from now on. */
  readonly remember?: true;
  /** To the questions of the call, in their order. */
  readonly answers?: readonly string[];
  readonly isSigned?: true;
  /** Nobody decided in time. */
  readonly isTimeout?: true;
}

/** A decision about another call that may cover this one. */
export interface Granted {
  readonly call: ToolUseRef;
  readonly by: string;
}

/** Input of the Updates, as a person may type it in the Temporal UI: at most 200 characters of text in all.
 *  Shape: `{"toolUseId": "toolu_1", "who": "ada", "note": "only on staging", "digest": "0123456789abcdef"}`
 *  `toolUseIds`: several ids, or "all". `digest`: of what was seen; a list, in the order of the ids, for several.
 *  `remember`: approve only. `answers`: answer only, one text or one for each question of the call.
 *  `signature`: base64, by the key of `who` (docs/approvals.md). */
export interface ApprovalInput {
  readonly toolUseId?: string;
  readonly toolUseIds?: readonly string[] | 'all';
  readonly who?: string;
  readonly note?: string;
  readonly digest?: string | readonly string[];
  readonly remember?: boolean;
  readonly answers?: string | readonly string[];
  readonly signature?: string;
}

export type ApprovalKind = 'approve' | 'deny' | 'answer';

/** How it stands with a call. `expired`: nobody decided in time. `stopped`: its query was stopped, or gave it up.
 *  `being_judged`: a grant may cover it; whether it still waits is known in a moment. */
export type CallStanding =
  'approved' | 'denied' | 'answered' | 'expired' | 'stopped' | 'being_judged';

export interface DecidedCall {
  readonly call: ToolUseRef;
  readonly name: string;
  readonly standing: CallStanding;
  readonly by: string;
  /** ISO instant. */
  readonly at: string;
}

export interface CallReceipt extends Omit<DecidedCall, 'call'> {
  readonly toolUseId: string;
  /** false: it stood so before. */
  readonly isNew: boolean;
}

/** What became of an Update. `message` says it for people. */
export interface ApprovalReceipt {
  readonly message: string;
  readonly calls: readonly CallReceipt[];
}

/** Each decides calls that wait, by tool_use id. Safe to repeat: who comes second hears who decided, and when.
 *  Fails: `Approval.BadInput`, `Approval.NotAsked`, `Approval.DigestMismatch`, `Approval.SignatureRequired`,
 *  `Approval.BadSignature`; nothing is decided then. */
export const approve = defineUpdate<ApprovalReceipt, [ApprovalInput]>('approve');
export const deny = defineUpdate<ApprovalReceipt, [ApprovalInput]>('deny');
export const answer = defineUpdate<ApprovalReceipt, [ApprovalInput]>('answer');
/** What one query of a session granted may cover calls of the others. `from`: the Workflow id that tells it on. */
export const granted = defineSignal<[Granted, from: string]>('granted');
