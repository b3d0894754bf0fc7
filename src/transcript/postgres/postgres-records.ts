import { stamp } from '../append-stamp';
import { ARCHIVED, RecordIndex } from '../files/record-index';
import { Serial } from '../files/serial';
import { fromTranscriptText, type TranscriptLine } from '../files/transcript-line';
import type { TranscriptRecord } from '../record';
import type { Lease } from '../store';
import { StoreError } from '../store-error';
import type { BodyPlace } from './bodies';
import type { Database } from './database';
import type { Leases } from './leases';
import type { LocalTranscript } from './local-transcript';
import { BEGINNING, pageOf, readPage, type PagePlace, type PageRow } from './page';
import { isThereAlready } from './postgres-error';

/** The transcript of one session. Reads come from an index in memory that is filled with what is new; records never
 *  change, so what the index knows needs no question. */
export class PostgresRecords {
  private index: RecordIndex;
  private place: PagePlace = BEGINNING;
  private readonly reads = new Serial();
  private readonly pageSql: string;
  /** Set to true by whoever wants to know whether anybody reads or writes from then on. */
  isIdle = false;

  constructor(
    private readonly database: Database,
    private readonly leases: Leases,
    private readonly of: { readonly sessionId: string; readonly local: LocalTranscript },
  ) {
    this.index = this.newIndex(false);
    const { schema } = database;
    this.pageSql = pageOf({ schema, table: 'records', count: 'records', mark: 'uuid' });
  }

  lastLeaf(): Promise<string | null> {
    return this.look((index) => index.leaf);
  }

  find(uuid: string): Promise<TranscriptRecord | undefined> {
    return this.lookUp(uuid, (index) => index.find(uuid));
  }

  appended(key: string): Promise<readonly TranscriptRecord[] | undefined> {
    return this.lookUp(null, (index) => index.appended(key));
  }

  /** A context that reaches behind a boundary is another branch: whoever works on it needs all of them. */
  async chain(leaf: string): Promise<readonly TranscriptRecord[]> {
    const chain = this.index.knows(leaf)
      ? this.index.chain(leaf)
      : await this.look((index) => index.chain(leaf));
    if (chain !== ARCHIVED) return chain;
    await this.reads.run(async () => this.startOver(true));
    return this.look((index) => index.chain(leaf) as readonly TranscriptRecord[]);
  }

  async append(
    lease: Lease,
    key: string,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]> {
    if (records.length === 0) return [];
    const stamped = stamp(key, records);
    const bodies = stamped.map((record) => JSON.stringify(record));
    try {
      const end = await this.write(lease, key, { records, bodies });
      await this.take({ end, bodies });
      return stamped;
    } catch (error) {
      if (!isThereAlready(error)) throw error;
      return (await this.appended(key)) ?? this.refuseKnown(records, error);
    }
  }

  /** Gives memory back; the next use reads again. */
  async rest(): Promise<void> {
    await this.reads.run(async () => this.startOver(false));
  }

  /** Returns the number of the last record. */
  private async write(
    lease: Lease,
    key: string,
    of: { readonly records: readonly TranscriptRecord[]; readonly bodies: readonly string[] },
  ): Promise<number> {
    const { schema, bodies } = this.database;
    const uuids = of.records.map(({ uuid }) => uuid);
    const [written] = await this.database.query<{ end: number }>(
      'append records to',
      `WITH head AS (
         UPDATE ${schema}.heads SET records = records + $4, written_at = now()
         WHERE session = $1 AND epoch = $2 AND worker = $3 AND is_held RETURNING records
       ), written AS (
         INSERT INTO ${schema}.records (session, seq, uuid, key, part, body)
         SELECT $1, head.records - $4 + one.part, one.uuid, $5, one.part, one.body
         FROM head, unnest($6::text[], $7::text[]) WITH ORDINALITY AS one (uuid, body, part)
       )
       SELECT records AS "end" FROM head`,
      [
        this.of.sessionId,
        lease.epoch,
        lease.owner.workerId,
        of.records.length,
        key,
        uuids,
        of.bodies.map((body, index) => bodies.seal(body, this.placeOf(uuids[index] ?? ''))),
      ],
    );
    if (written === undefined) throw this.leases.stale(lease);
    return written.end;
  }

  /** What this process has just written it need not read. */
  private take(of: { readonly end: number; readonly bodies: readonly string[] }): Promise<void> {
    return this.reads.run(async () => {
      if (this.place.seq === of.end - of.bodies.length) {
        const lines = of.bodies.flatMap((body) => fromTranscriptText(body) ?? []);
        this.index.add(lines);
        this.place = { seq: of.end, mark: lines.at(-1)?.uuid ?? '' };
      }
      await this.of.local.append(of, (visit) => this.readAll(visit));
    });
  }

  /** What is archived is read for once: few ever ask. */
  private async lookUp<T>(
    uuid: string | null,
    into: (index: RecordIndex) => T | typeof ARCHIVED | undefined,
  ): Promise<T | undefined> {
    const isKnown = uuid !== null && this.index.knows(uuid);
    const found = isKnown ? into(this.index) : await this.look(into);
    if (found !== ARCHIVED) return found;
    const whole = this.newIndex(true);
    await this.readAll((lines) => whole.add(lines.map(({ line }) => line)));
    const read = into(whole);
    if (read !== ARCHIVED) return read;
    throw new Error('An index that keeps all has archived something.');
  }

  /** Looks into the index when it is up to date; nothing changes it between the update and the look. */
  private look<T>(into: (index: RecordIndex) => T): Promise<T> {
    this.isIdle = false;
    const add = (lines: readonly ReadLine[]) => this.index.add(lines.map(({ line }) => line));
    return this.reads.run(async () => {
      let place = await this.readOn(this.place, add);
      if (place === 'lost') {
        this.startOver(false);
        place = await this.readOn(this.place, add);
      }
      if (place !== 'lost') this.place = place;
      return into(this.index);
    });
  }

  private async readAll(visit: (lines: readonly ReadLine[]) => void): Promise<void> {
    await this.readOn(BEGINNING, visit);
  }

  /** Visits what is behind the place, append by append. Returns the new place. */
  private async readOn(
    from: PagePlace,
    visit: (lines: readonly ReadLine[]) => void,
  ): Promise<PagePlace | 'lost'> {
    let append: ReadLine[] = [];
    for (let place = from; ;) {
      const rows = await this.database.query<PageRow>('read records of', this.pageSql, [
        this.of.sessionId,
        place.seq,
      ]);
      const page = readPage(rows, place);
      if (page === 'gone') return place;
      if (page === 'lost') return page;
      for (const { body: stored, mark: uuid } of page.rows) {
        const body = this.database.bodies.open(stored, this.placeOf(uuid));
        const line = fromTranscriptText(body);
        if (line === undefined) continue;
        append.push({ line, body });
        if (!isLast(line)) continue;
        visit(append);
        append = [];
      }
      const last = page.rows.at(-1);
      if (last !== undefined) place = { seq: last.seq, mark: last.mark };
      if (place.seq >= page.end || last === undefined) return place;
    }
  }

  private placeOf(uuid: string): BodyPlace {
    return ['records', this.of.sessionId, uuid];
  }

  private startOver(keepsAll: boolean): void {
    this.index = this.newIndex(keepsAll);
    this.place = BEGINNING;
  }

  private newIndex(keepsAll: boolean): RecordIndex {
    const name = `session ${this.of.sessionId} at ${this.database.place}`;
    return new RecordIndex(name, keepsAll, CURE);
  }

  private refuseKnown(records: readonly TranscriptRecord[], cause: unknown): never {
    const known = records.find(({ uuid }) => this.index.knows(uuid));
    throw new StoreError(
      'record_exists',
      `Record ${known?.uuid ?? records[0]?.uuid ?? ''} is in session ${this.of.sessionId} at ${this.database.place} already, written by another append. Chain behind it instead of writing it again.`,
      { cause },
    );
  }
}

const CURE = 'Restore the database from a backup, or go on before the gap: everloop rewind.';

/** A record as it is stored, and as readers need it. */
export interface ReadLine {
  readonly line: TranscriptLine;
  readonly body: string;
}

function isLast({ append }: TranscriptLine): boolean {
  return append === null || append.batch.index === append.batch.of - 1;
}
