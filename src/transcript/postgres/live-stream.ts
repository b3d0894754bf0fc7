import { randomUUID } from 'node:crypto';
import type { LiveEvent } from '../session-log';
import type { Lease, LiveWriter } from '../store';
import { Database } from './database';
import { fenceOf, type Leases } from './leases';
import type { NoticeName, Notices } from './notices';

/** Deltas wait so long for others: a statement for each would be more than people can read. */
const FLUSH_MS = 30;
/** Deltas of streams that have ended go after this; followers who are behind still read them. */
const KEEP_ENDED = `interval '1 minute'`;

interface LiveParts {
  readonly database: Database;
  readonly notices: Notices;
  readonly leases: Leases;
  readonly sessionId: string;
}

/** Deltas of one model stream on their way into the database. A failure ends them and nothing else: they are a
 *  courtesy, and the commit of the reply will say what is wrong. */
export class LiveStream implements LiveWriter {
  readonly name = randomUUID();
  private buffered: string[] = [];
  private seq = 0;
  private timer: NodeJS.Timeout | null = null;
  private flushing: Promise<void> | null = null;
  private isClosed = false;
  private hasFailed = false;

  private constructor(private readonly parts: LiveParts) {}

  /** Fails: StoreError `lease_stale`. */
  static async open(lease: Lease, parts: LiveParts): Promise<LiveStream> {
    const stream = new LiveStream(parts);
    const { schema } = parts.database;
    const [opened] = await parts.database.query<{ fenced: boolean }>(
      'open a stream of',
      `WITH ${fenceOf(schema)}, old AS (
         DELETE FROM ${schema}.streams WHERE session = $1 AND ended_at < now() - ${KEEP_ENDED}
       ), opened AS (
         INSERT INTO ${schema}.streams (session, name) SELECT $1, $4 FROM fence
         ON CONFLICT DO NOTHING
       )
       SELECT NOT EXISTS (SELECT 1 FROM fence) AS fenced, ${Database.commits(false)}`,
      [parts.sessionId, lease.epoch, lease.owner.workerId, stream.name],
    );
    if (opened?.fenced !== false) throw parts.leases.stale(lease);
    return stream;
  }

  write(event: LiveEvent): void {
    if (this.isClosed || this.hasFailed) return;
    this.buffered.push(JSON.stringify(event));
    if (this.flushing === null) this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.flushing;
    await this.flush();
    await this.end().catch(() => undefined);
  }

  /** What comes meanwhile goes with the next one, so that a slow server gets fewer and larger ones. */
  private flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.buffered.length === 0 || this.hasFailed) return Promise.resolve();
    const events = this.buffered;
    this.buffered = [];
    this.seq += 1;
    this.flushing = this.put(events).then(
      () => this.flushed(),
      () => {
        this.hasFailed = true;
        this.flushing = null;
      },
    );
    return this.flushing;
  }

  private flushed(): void {
    this.flushing = null;
    if (this.buffered.length > 0 && !this.isClosed) {
      this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    }
  }

  private async put(events: readonly string[]): Promise<void> {
    const { database, notices, sessionId } = this.parts;
    const place = ['deltas', sessionId, this.name, this.seq] as const;
    const body = database.bodies.seal(events.join('\n'), place);
    await database.query(
      'write deltas of',
      `WITH written AS (
         INSERT INTO ${database.schema}.deltas (session, stream, seq, body)
         SELECT session, name, $3, $4 FROM ${database.schema}.streams
         WHERE session = $1 AND name = $2 AND ended_at IS NULL
         ON CONFLICT DO NOTHING
       )
       SELECT pg_notify($5, $6), ${Database.commits(false)}`,
      [sessionId, this.name, this.seq, body, notices.channel, this.notice],
    );
    notices.wake(this.notice);
  }

  private async end(): Promise<void> {
    const { database, notices, sessionId } = this.parts;
    await database.query(
      'end a stream of',
      `WITH ended AS (
         UPDATE ${database.schema}.streams SET ended_at = now()
         WHERE session = $1 AND name = $2 AND ended_at IS NULL
       )
       SELECT pg_notify($3, $4), ${Database.commits(false)}`,
      [sessionId, this.name, notices.channel, this.notice],
    );
    notices.wake(this.notice);
  }

  private get notice(): NoticeName {
    return `live ${this.parts.sessionId}`;
  }
}
