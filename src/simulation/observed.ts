import type { ToolUseRef } from '../loop/context';

/** A tool call as the Workflow's history knows it. */
export interface ObservedCall {
  readonly ref: ToolUseRef;
  readonly tool: string;
  /** Attempts that did not come to their end. */
  readonly broken: BrokenAttempt[];
}

export interface BrokenAttempt {
  readonly type: 'lost' | 'lost by a power cut' | 'failed';
  /** The command had claimed its start by then, so that an attempt after it could find it. */
  readonly hadClaimed: boolean;
}

/** What the world outside knows for certain: what it was told, and what was done to it. */
export interface Observed {
  /** Ids of accepted messages, in order. */
  readonly messages: string[];
  /** Leaves that Activities have reported. */
  readonly leaves: string[];
  /** By id of the call. */
  readonly calls: Map<string, ObservedCall>;
  /** How often each call has had its effect. */
  readonly effects: Map<string, number>;
  /** Calls whose outcome is told to be unknown. */
  readonly unknownCalls: Set<string>;
  /** What the file of a call of Write holds at the end. */
  readonly written: Map<string, string>;
  /** Cursors of the entries that the reader saw, in order. */
  readonly seen: string[];
  /** Messages of which the reader saw the query's end. */
  readonly seenEnds: Set<string>;
  readonly violations: string[];
}

export function nothingObserved(): Observed {
  return {
    messages: [],
    leaves: [],
    calls: new Map(),
    effects: new Map(),
    unknownCalls: new Set(),
    written: new Map(),
    seen: [],
    seenEnds: new Set(),
    violations: [],
  };
}
