import { z } from 'zod';
import type { ToolUseRef } from '../../loop/context';
import type { ApiFailure, CallResult, Intent } from '../store';
import type { TailConsumer } from './file-tail';
import type { Line } from './line-reader';

/** One line of a ledger file. */
export type LedgerLine =
  | { readonly type: 'intent'; readonly call: ToolUseRef; readonly intent: Intent }
  | { readonly type: 'result'; readonly call: ToolUseRef; readonly result: CallResult }
  | { readonly type: 'failure'; readonly key: string; readonly failure: ApiFailure };

/** Where a line lies in the file. Results can be large, so only their place is kept in memory. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What is in a ledger file. The first intent and the first result of a call count. */
export class LedgerIndex implements TailConsumer {
  private readonly calls = new Map<string, { intent?: Intent; result?: Place }>();
  private readonly failuresByKey = new Map<string, ApiFailure[]>();

  reset(): void {
    this.calls.clear();
    this.failuresByKey.clear();
  }

  rewind(): void {
    // Every line stands for itself: none is ever left unsettled.
  }

  line(line: Line): 'settled' | 'wait' | 'unreadable' {
    if (!line.isTerminated) return 'wait';
    const parsed = fromLedgerText(line.text);
    if (parsed === undefined) return 'unreadable';
    this.add(parsed, line);
    return 'settled';
  }

  add(line: LedgerLine, place: Place): void {
    if (line.type === 'failure') {
      this.failuresByKey.set(line.key, [...this.failures(line.key), line.failure]);
      return;
    }
    const key = callKey(line.call);
    const known = this.calls.get(key) ?? {};
    if (line.type === 'intent') known.intent ??= line.intent;
    else known.result ??= { start: place.start, end: place.end };
    this.calls.set(key, known);
  }

  find(call: ToolUseRef): { readonly intent?: Intent; readonly result?: Place } | undefined {
    return this.calls.get(callKey(call));
  }

  failures(key: string): readonly ApiFailure[] {
    return this.failuresByKey.get(key) ?? [];
  }
}

/** Call ids alone may repeat in a session. */
function callKey(call: ToolUseRef): string {
  return `${call.recordId} ${call.id}`;
}

const callSchema = z.object({ id: z.string(), recordId: z.string() });
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('intent'), call: callSchema, intent: z.looseObject({}) }),
  z.object({ type: z.literal('result'), call: callSchema, result: z.looseObject({}) }),
  z.object({ type: z.literal('failure'), key: z.string(), failure: z.looseObject({}) }),
]);

export function fromLedgerText(text: string): LedgerLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text)) as unknown as LedgerLine;
  } catch {
    return undefined;
  }
}
