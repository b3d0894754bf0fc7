import { counted, durationText } from './figures';
import type { CallFacts, CallOutcome, RequestFacts, Span } from './facts';

/** Not by colour alone: each has a sign of its own. */
export const OUTCOMES: Readonly<
  Record<CallOutcome, { readonly sign: string; readonly word: string }>
> = {
  ok: { sign: '✓', word: 'ok' },
  error: { sign: '✕', word: 'error' },
  unknown: { sign: '?', word: 'outcome unknown' },
  denied: { sign: '⊘', word: 'denied' },
  running: { sign: '…', word: 'running' },
  none: { sign: '–', word: 'no result' },
};

export const REQUEST_WORDS: Readonly<Record<RequestFacts['outcome'], string>> = {
  committed: 'answered',
  discarded: 'failed',
  lost: 'lost with its Worker',
  running: 'running',
};

/** "12 s", or "12 s so far". */
export function spanText({ fromMs, toMs }: Span, nowMs: number): string {
  const text = durationText((toMs ?? nowMs) - fromMs);
  return toMs === null ? `${text} so far` : text;
}

/** What else there is to say of a call: how often it was tried, and for whom it waited. */
export function callNotes(
  { attempts, attemptFailure, waits, worker }: CallFacts,
  nowMs: number,
): readonly string[] {
  return [
    ...waits.map((wait) => {
      const until = wait.toMs === null ? 'waits' : 'waited';
      const decision = wait.decision === null ? '' : `, ${wait.decision}`;
      return `${until} ${spanText(wait, nowMs)} for approval${decision}`;
    }),
    ...(attempts > 1
      ? [`${counted(attempts, 'attempt')}${attemptFailure === '' ? '' : ` (${attemptFailure})`}`]
      : []),
    ...(worker === null || attempts === 1 ? [] : [`ended by Worker ${worker}`]),
  ];
}
