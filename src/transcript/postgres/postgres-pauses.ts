import type { ProviderPauses } from '../store';
import type { Database } from './database';
import type { NoticeName, Notices } from './notices';

/** The net under the server's notices: what is known is asked for again after this long, by whoever needs it. */
const FRESH_MS = 5_000;

interface Known {
  /** Of the notice, before it was read. */
  readonly version: number;
  /** Of this process's own clock. */
  readonly readAtMs: number;
  readonly untilMs: number;
}

/** One row a provider. The server's clock counts: those of hosts differ. A Worker that asks often asks the server once
 *  in five seconds; a pause reaches it by a notice. */
export class PostgresPauses implements ProviderPauses {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly database: Database,
    private readonly notices: Notices,
  ) {}

  async remainingMs(provider: string): Promise<number> {
    const notice = noticeOf(provider);
    const before = this.known.get(provider);
    if (before === undefined) this.notices.enter(notice);
    const version = this.notices.version(notice);
    const isFresh = before?.version === version && performance.now() - before.readAtMs < FRESH_MS;
    const known = isFresh ? before : await this.read(provider, version);
    return Math.max(0, known.untilMs - performance.now());
  }

  async pause(provider: string, ms: number): Promise<void> {
    const notice = noticeOf(provider);
    const { schema } = this.database;
    await this.database.query(
      'pause requests in',
      `WITH paused AS (
         INSERT INTO ${schema}.provider_pauses AS pauses (provider, until)
         VALUES ($1, now() + $2 * interval '1 millisecond')
         ON CONFLICT (provider) DO UPDATE SET until = greatest(pauses.until, excluded.until)
       )
       SELECT pg_notify($3, $4)`,
      [provider, ms, this.notices.channel, notice],
    );
    this.notices.wake(notice);
    this.known.delete(provider);
  }

  private async read(provider: string, version: number): Promise<Known> {
    const [row] = await this.database.query<{ ms: string }>(
      'look for pauses in',
      `SELECT extract(epoch FROM until - now()) * 1000 AS ms
       FROM ${this.database.schema}.provider_pauses WHERE provider = $1`,
      [provider],
    );
    const readAtMs = performance.now();
    const known = { version, readAtMs, untilMs: readAtMs + Number(row?.ms ?? 0) };
    this.known.set(provider, known);
    return known;
  }
}

const noticeOf = (provider: string): NoticeName => `pause ${provider}`;
