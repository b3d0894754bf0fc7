import { z } from 'zod';
import type { ToolUseRef } from '../../loop/context';
import type { FileChange, FilesFound, LedgerEvent, TrackedFile } from '../file-history';
import type { ApiFailure, CallResult, Intent } from '../store';
import type { TailConsumer } from './file-tail';
import type { Line } from './line-reader';

/** One line of a ledger file. */
export type LedgerLine =
  | { readonly type: 'intent'; readonly call: ToolUseRef; readonly intent: Intent }
  | { readonly type: 'result'; readonly call: ToolUseRef; readonly result: CallResult }
  | { readonly type: 'change'; readonly call: ToolUseRef; readonly change: FileChange }
  | { readonly type: 'found'; readonly found: FilesFound }
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
  private readonly tracked = new Map<string, TrackedFile>();
  private readonly changes = new Set<string>();
  private readonly looks = new Set<string>();

  reset(): void {
    this.calls.clear();
    this.failuresByKey.clear();
    this.tracked.clear();
    this.changes.clear();
    this.looks.clear();
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
    switch (line.type) {
      case 'failure':
        this.failuresByKey.set(line.key, [...this.failures(line.key), line.failure]);
        return;
      case 'change':
        this.addChange(line.call, line.change);
        return;
      case 'found':
        this.addFound(line.found);
        return;
      case 'intent':
      case 'result': {
        const key = callKey(line.call);
        const known = this.calls.get(key) ?? {};
        if (line.type === 'intent') known.intent ??= line.intent;
        else known.result ??= { start: place.start, end: place.end };
        this.calls.set(key, known);
      }
    }
  }

  knowsChange(call: ToolUseRef, path: string): boolean {
    return this.changes.has(changeKey(call, path));
  }

  knowsLook(at: string): boolean {
    return this.looks.has(at);
  }

  trackedFiles(): ReadonlyMap<string, TrackedFile> {
    return new Map(this.tracked);
  }

  find(call: ToolUseRef): { readonly intent?: Intent; readonly result?: Place } | undefined {
    return this.calls.get(callKey(call));
  }

  failures(key: string): readonly ApiFailure[] {
    return this.failuresByKey.get(key) ?? [];
  }

  private addChange(call: ToolUseRef, { path, root, after: state }: FileChange): void {
    const key = changeKey(call, path);
    if (this.changes.has(key)) return;
    this.changes.add(key);
    this.tracked.set(path, { root, state });
  }

  private addFound({ at, files }: FilesFound): void {
    if (this.looks.has(at)) return;
    this.looks.add(at);
    for (const { path, state } of files) {
      const known = this.tracked.get(path);
      if (known !== undefined) this.tracked.set(path, { ...known, state });
    }
  }
}

/** What the line says of calls and files; undefined: nothing. */
export function toLedgerEvent(line: LedgerLine): LedgerEvent | undefined {
  switch (line.type) {
    case 'intent':
      return { type: 'intent', call: line.call, tool: line.intent.tool };
    case 'result':
      return { type: 'result', call: line.call };
    case 'change':
    case 'found':
      return line;
    case 'failure':
      return undefined;
  }
}

/** Call ids alone may repeat in a session. */
function callKey(call: ToolUseRef): string {
  return `${call.recordId} ${call.id}`;
}

const changeKey = (call: ToolUseRef, path: string): string => `${callKey(call)} ${path}`;

const callSchema = z.object({ id: z.string(), recordId: z.string() });
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('intent'), call: callSchema, intent: z.looseObject({}) }),
  z.object({ type: z.literal('result'), call: callSchema, result: z.looseObject({}) }),
  z.object({ type: z.literal('change'), call: callSchema, change: z.looseObject({}) }),
  z.object({ type: z.literal('found'), found: z.looseObject({}) }),
  z.object({ type: z.literal('failure'), key: z.string(), failure: z.looseObject({}) }),
]);

export function fromLedgerText(text: string): LedgerLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text)) as unknown as LedgerLine;
  } catch {
    return undefined;
  }
}
