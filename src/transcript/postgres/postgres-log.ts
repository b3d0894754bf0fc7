import { randomUUID } from 'node:crypto';
import { Serial } from '../files/serial';
import type { FollowedEntry, LiveEvent, LogCursor, LogEntry } from '../session-log';
import type { Lease, LiveWriter, SessionLog } from '../store';
import type { BodyPlace } from './bodies';
import { Database } from './database';
import { type Leases } from './leases';
import { followLive } from './live-reader';
import { LiveStream } from './live-stream';
import type { NoticeName, Notices } from './notices';
import { BEGINNING, pageOf, readPage, type PagePlace, type PageRow } from './page';

/** The log of one session. Entries do not wait for the disk, except the end of a query: the transcript is the
 *  truth, and what a crash of the server may take from the log can be read there. */
export class PostgresLog implements SessionLog {
  /** The row of the session knows its last append, which tells a repeat from another: so one at a time. */
  private readonly writes = new Serial();
  private readonly pageSql: string;
  private readonly notice: NoticeName;

  constructor(
    private readonly database: Database,
    private readonly notices: Notices,
    private readonly of: { readonly sessionId: string; readonly leases: Leases },
  ) {
    const { schema } = database;
    this.pageSql = pageOf({ schema, table: 'log', count: 'entries', mark: 'at' });
    this.notice = `log ${of.sessionId}`;
  }

  async append(lease: Lease, entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const bodies = entries.map((entry) => JSON.stringify(entry));
    const durable = entries.some((entry) => entry.type === 'query_ended');
    await this.writes.run(async () => {
      const at = new Date().toISOString();
      await this.write(lease, { at, bodies, durable });
    });
    this.notices.wake(this.notice);
  }

  async *follow(from: LogCursor | null, signal: AbortSignal): AsyncGenerator<FollowedEntry, void> {
    let place = fromCursor(from);
    this.notices.enter(this.notice);
    try {
      while (!signal.aborted) {
        const version = this.notices.version(this.notice);
        const page = await this.page(place);
        if (page === 'gone') return;
        if (page === 'lost') {
          place = BEGINNING;
          continue;
        }
        for (const { followed, after } of page) {
          if (isAborted(signal)) return;
          place = after;
          yield followed;
        }
        if (page.length === 0) await this.notices.changed(this.notice, version, signal);
      }
    } finally {
      this.notices.leave(this.notice);
    }
  }

  async *read(): AsyncGenerator<FollowedEntry, void> {
    for await (const { followed } of this.placed()) yield followed;
  }

  /** Each with the number of its row. */
  async *numbered(): AsyncGenerator<FollowedEntry & { readonly number: number }, void> {
    for await (const { followed, after } of this.placed()) yield { ...followed, number: after.seq };
  }

  async end(): Promise<LogCursor> {
    const [last] = await this.database.query<{ seq: number; mark: string }>(
      'read the log of',
      `SELECT seq, at AS mark FROM ${this.database.schema}.log
       WHERE session = $1 ORDER BY seq DESC LIMIT 1`,
      [this.of.sessionId],
    );
    return toCursor(last ?? BEGINNING);
  }

  openLive(lease: Lease): Promise<LiveWriter> {
    const { database, notices } = this;
    return LiveStream.open(lease, { database, notices, ...this.of });
  }

  followLive(live: string, signal: AbortSignal): AsyncGenerator<LiveEvent, void> {
    const { database, notices } = this;
    return followLive(live, { database, notices, sessionId: this.of.sessionId }, signal);
  }

  private async write(
    lease: Lease,
    of: { readonly at: string; readonly bodies: readonly string[]; readonly durable: boolean },
  ): Promise<void> {
    const { schema, bodies } = this.database;
    const place = this.placeOf(of.at);
    const [head] = await this.database.query<{ written: boolean; there: boolean }>(
      'append to the log of',
      `WITH head AS (
         UPDATE ${schema}.heads SET entries = entries + $4, logged_by = $5
         WHERE session = $1 AND epoch = $2 AND worker = $3 AND is_held
           AND logged_by IS DISTINCT FROM $5
         RETURNING entries
       ), written AS (
         INSERT INTO ${schema}.log (session, seq, at, body)
         SELECT $1, head.entries - $4 + one.part, $6, one.body
         FROM head, unnest($7::text[]) WITH ORDINALITY AS one (body, part)
       )
       SELECT EXISTS (SELECT 1 FROM head) AS written,
         EXISTS (SELECT 1 FROM ${schema}.heads WHERE session = $1 AND logged_by = $5) AS there,
         pg_notify($8, $9), ${Database.commits(of.durable)}`,
      [
        this.of.sessionId,
        lease.epoch,
        lease.owner.workerId,
        of.bodies.length,
        randomUUID(),
        of.at,
        of.bodies.map((body) => bodies.seal(body, place)),
        this.notices.channel,
        this.notice,
      ],
    );
    // `there`: an earlier attempt has written it, and only the answer was lost.
    if (head?.written !== true && head?.there !== true) throw this.of.leases.stale(lease);
  }

  /** Its number is not known before it is written. */
  private placeOf(at: string): BodyPlace {
    return ['log', this.of.sessionId, at];
  }

  private async *placed(): AsyncGenerator<{ followed: FollowedEntry; after: PagePlace }, void> {
    for (let place = BEGINNING; ;) {
      const page = await this.page(place);
      const last = Array.isArray(page) ? page.at(-1) : undefined;
      if (!Array.isArray(page) || last === undefined) return;
      yield* page;
      place = last.after;
    }
  }

  private async page(place: PagePlace) {
    const rows = await this.database.query<PageRow>('read the log of', this.pageSql, [
      this.of.sessionId,
      place.seq,
    ]);
    const page = readPage(rows, place);
    if (typeof page === 'string') return page;
    return page.rows.map(({ seq, mark: at, body }) => {
      const after: PagePlace = { seq, mark: at };
      const text = this.database.bodies.open(body, this.placeOf(at));
      const followed: FollowedEntry = { cursor: toCursor(after), at, entry: fromLogText(text) };
      return { followed, after };
    });
  }
}

/** The number of an entry and its instant, which another entry with that number would not have. */
function toCursor({ seq, mark }: PagePlace): LogCursor {
  return `${seq}@${mark}`;
}

function fromCursor(cursor: LogCursor | null): PagePlace {
  const match = /^(\d{1,9})@(.*)$/.exec(cursor ?? '');
  if (match?.[1] === undefined) return BEGINNING;
  return { seq: Number(match[1]), mark: match[2] ?? '' };
}

/** A consumer may abort between two entries; the compiler cannot know. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const fromLogText = (text: string): LogEntry => JSON.parse(text) as LogEntry;
