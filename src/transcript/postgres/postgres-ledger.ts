import { createHash, randomUUID } from 'node:crypto';
import type { ToolUseRef } from '../../loop/context';
import type { FileChange, FilesFound, LedgerEvent, TrackedFile } from '../file-history';
import { LedgerIndex } from '../files/ledger-index';
import type { ApiFailure, CallResult, Intent, Lease, Ledger, LedgerEntry } from '../store';
import { StoreError } from '../store-error';
import type { BodyPlace } from './bodies';
import { Database } from './database';
import { fenceOf, type Leases } from './leases';

/** A row as it is written. */
interface Line {
  readonly kind: LedgerKind;
  /** What may be there once, by its parts. */
  readonly name: readonly string[];
  readonly call?: ToolUseRef;
  readonly subject?: string;
  readonly content: unknown;
}

/** What a call or an attempt came to. */
export interface LedgerEnd {
  readonly at: string;
  /** Uuid of the record that holds the result; null: of a failure. */
  readonly recordId: string | null;
  /** Names of the rows that tell of it. */
  readonly names: readonly string[];
}

/** Results can be large. */
const ENDS_AT_ONCE = 16;

type LedgerKind = 'intent' | 'result' | 'change' | 'found' | 'failure';

/** The ledger of one session. What counts once has a name that is unique, so the first one written counts. */
export class PostgresLedger implements Ledger {
  constructor(
    private readonly database: Database,
    private readonly leases: Leases,
    private readonly sessionId: string,
  ) {}

  async find(call: ToolUseRef): Promise<LedgerEntry | undefined> {
    const rows = await this.database.query<{ kind: LedgerKind; name: string; body: string }>(
      'read the ledger of',
      `SELECT kind, name, body FROM ${this.table} WHERE session = $1 AND name IN ($2, $3)`,
      [this.sessionId, digestOf(nameOf('intent', call)), digestOf(nameOf('result', call))],
    );
    const bodyOf = (kind: LedgerKind) => {
      const found = rows.find((row) => row.kind === kind);
      return found && this.open(found);
    };
    const [intent, result] = [bodyOf('intent'), bodyOf('result')];
    if (intent === undefined) {
      return result === undefined ? undefined : { intent: null, result: fromResultText(result) };
    }
    return {
      intent: fromIntentText(intent),
      ...(result !== undefined && { result: fromResultText(result) }),
    };
  }

  async recordIntent(lease: Lease, call: ToolUseRef, intent: Intent): Promise<void> {
    const line = {
      kind: 'intent',
      name: nameOf('intent', call),
      call,
      subject: intent.tool,
      content: intent,
    } as const;
    const known = await this.write(lease, line, intent.durable !== false);
    if (known !== null) throw this.alreadyIntended(call, known);
  }

  async recordResult(lease: Lease, call: ToolUseRef, result: CallResult): Promise<CallResult> {
    const name = nameOf('result', call);
    const known = await this.write(lease, { kind: 'result', name, call, content: result });
    return known === null ? result : fromResultText(known);
  }

  async failures(key: string): Promise<readonly ApiFailure[]> {
    const rows = await this.database.query<{ name: string; body: string }>(
      'read the ledger of',
      `SELECT name, body FROM ${this.table}
       WHERE session = $1 AND subject = $2 AND kind = 'failure' ORDER BY seq`,
      [this.sessionId, key],
    );
    return rows.map((row) => fromFailureText(this.open(row)));
  }

  async recordFailure(lease: Lease, key: string, failure: ApiFailure): Promise<void> {
    const name = ['failure', key, randomUUID()];
    await this.write(lease, { kind: 'failure', name, subject: key, content: failure });
  }

  async recordChange(lease: Lease, call: ToolUseRef, change: FileChange): Promise<void> {
    const name = [...nameOf('change', call), change.path];
    await this.write(lease, { kind: 'change', name, call, content: change });
  }

  async recordFound(lease: Lease, found: FilesFound): Promise<void> {
    await this.write(lease, { kind: 'found', name: ['found', found.at], content: found });
  }

  async trackedFiles(): Promise<ReadonlyMap<string, TrackedFile>> {
    const index = new LedgerIndex();
    for (const event of await this.eventsOf(`AND kind IN ('change', 'found')`)) {
      if (event.type === 'change' || event.type === 'found') index.add(event, { start: 0, end: 0 });
    }
    return index.trackedFiles();
  }

  events(): Promise<readonly LedgerEvent[]> {
    return this.eventsOf('');
  }

  /** Of all results and failures. */
  async *ends(): AsyncGenerator<LedgerEnd, void> {
    for (let last = '0'; ;) {
      const rows = await this.database.query<EndRow>(
        'read the ledger of',
        `SELECT seq::text, kind, name, record_id, call_id, body FROM ${this.table}
         WHERE session = $1 AND kind IN ('failure', 'result') AND seq > $2
         ORDER BY seq LIMIT ${ENDS_AT_ONCE}`,
        [this.sessionId, last],
      );
      for (const row of rows) yield toEnd(row, this.open(row));
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.seq;
    }
  }

  private get table(): string {
    return `${this.database.schema}.ledger`;
  }

  /** Results can be large, and events say no more than that they are there. */
  private async eventsOf(condition: string): Promise<readonly LedgerEvent[]> {
    const rows = await this.database.query<EventRow>(
      'read the ledger of',
      `SELECT kind, name, record_id, call_id, subject,
         CASE WHEN kind IN ('change', 'found') THEN body END AS body
       FROM ${this.table} WHERE session = $1 ${condition} ORDER BY seq`,
      [this.sessionId],
    );
    return rows.flatMap(({ body, ...row }) => {
      const text = body === null ? null : this.open({ name: row.name, body });
      return toEvent({ ...row, body: text }) ?? [];
    });
  }

  /** Returns what was there, if something was that this call has not written; else null. A call that has ended
   *  without an intent gets none any more. */
  private async write(lease: Lease, line: Line, durable = true): Promise<string | null> {
    const { schema } = this.database;
    const name = digestOf(line.name);
    const writer = randomUUID();
    const ended = line.kind === 'intent' && line.call ? nameOf('result', line.call) : line.name;
    const [outcome] = await this.database.query<{ fenced: boolean; written: boolean }>(
      'write to the ledger of',
      `WITH ${fenceOf(schema)}, written AS (
         INSERT INTO ${schema}.ledger
           (session, kind, name, written_by, record_id, call_id, subject, body)
         SELECT $1, $4, $5, $6, $7, $8, $9, $10 FROM fence
         WHERE NOT EXISTS (SELECT 1 FROM ${schema}.ledger WHERE session = $1 AND name = $11)
         ON CONFLICT DO NOTHING RETURNING 1
       )
       SELECT NOT EXISTS (SELECT 1 FROM fence) AS fenced,
         EXISTS (SELECT 1 FROM written) AS written, ${Database.commits(durable)}`,
      [
        this.sessionId,
        lease.epoch,
        lease.owner.workerId,
        line.kind,
        name,
        writer,
        line.call?.recordId ?? null,
        line.call?.id ?? null,
        line.subject ?? null,
        this.database.bodies.seal(JSON.stringify(line.content), this.placeOf(name)),
        digestOf(ended),
      ],
    );
    if (outcome?.fenced !== false) throw this.leases.stale(lease);
    if (outcome.written) return null;
    const there = await this.database.query<{ name: string; written_by: string; body: string }>(
      'read the ledger of',
      `SELECT name, written_by, body FROM ${schema}.ledger WHERE session = $1 AND name IN ($2, $3)`,
      [this.sessionId, name, digestOf(ended)],
    );
    const first = there.find((row) => row.name === name) ?? there[0];
    return first === undefined || first.written_by === writer ? null : this.open(first);
  }

  private open({ name, body }: { readonly name: string; readonly body: string }): string {
    return this.database.bodies.open(body, this.placeOf(name));
  }

  private placeOf(name: string): BodyPlace {
    return ['ledger', this.sessionId, name];
  }

  private alreadyIntended(call: ToolUseRef, known: string): StoreError {
    const { tool, attempt, at } = fromIntentText(known) as Partial<Intent>;
    const by =
      tool === undefined
        ? 'it has ended without one'
        : `attempt ${attempt ?? '?'} of ${tool} wrote it at ${at ?? '?'}`;
    return new StoreError(
      'intent_exists',
      `Call ${call.id} of record ${call.recordId} has an intent in session ${this.sessionId} at ${this.database.place} already: ${by}. Look at the ledger entry before running the call again.`,
    );
  }
}

interface EventRow {
  readonly kind: LedgerKind;
  readonly name: string;
  readonly record_id: string | null;
  readonly call_id: string | null;
  readonly subject: string | null;
  readonly body: string | null;
}

interface EndRow {
  readonly seq: string;
  readonly kind: 'failure' | 'result';
  readonly name: string;
  readonly record_id: string | null;
  readonly call_id: string | null;
  readonly body: string;
}

function toEnd({ kind, name, record_id, call_id }: EndRow, text: string): LedgerEnd {
  if (kind === 'failure') return { at: fromFailureText(text).at, recordId: null, names: [name] };
  const { uuid, timestamp } = fromResultText(text).record;
  const call = { id: call_id ?? '', recordId: record_id ?? '' };
  return { at: timestamp, recordId: uuid, names: [digestOf(nameOf('intent', call)), name] };
}

function toEvent(row: EventRow): LedgerEvent | undefined {
  const call = { id: row.call_id ?? '', recordId: row.record_id ?? '' };
  switch (row.kind) {
    case 'intent':
      return { type: 'intent', call, tool: row.subject ?? '' };
    case 'result':
      return { type: 'result', call };
    case 'change':
      return { type: 'change', call, change: fromChangeText(row.body ?? '') };
    case 'found':
      return { type: 'found', found: fromFoundText(row.body ?? '') };
    case 'failure':
      return undefined;
  }
}

/** Call ids alone may repeat in a session. */
const nameOf = (kind: LedgerKind, { recordId, id }: ToolUseRef): readonly string[] => [
  kind,
  recordId,
  id,
];

/** Paths can be longer than an index takes. */
const digestOf = (name: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(name)).digest('hex');

const fromIntentText = (text: string): Intent => JSON.parse(text) as Intent;
const fromResultText = (text: string): CallResult => JSON.parse(text) as CallResult;
const fromFailureText = (text: string): ApiFailure => JSON.parse(text) as ApiFailure;
const fromChangeText = (text: string): FileChange => JSON.parse(text) as FileChange;
const fromFoundText = (text: string): FilesFound => JSON.parse(text) as FilesFound;
