import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { KeyRing } from '../../encryption/key-ring';
import { isFileName, requireFileName } from '../files/file-name';
import { SessionFolder } from '../files/session-folder';
import { sessionWorkflowId } from '../place';
import type { SessionMeta, SessionStore, TranscriptStore } from '../store';
import { StoreError } from '../store-error';
import { Bodies } from './bodies';
import { Database } from './database';
import { keyUse, type KeyUse } from './key-use';
import { MIGRATIONS } from './migrations';
import { Notices } from './notices';
import { PostgresPauses } from './postgres-pauses';
import { PostgresSession } from './postgres-session';
import { PostgresWorkers } from './postgres-workers';
import { reseal, type Resealed } from './reseal';
import { parseStoreUrl } from './store-url';

/** How often sessions that nobody has touched since give their memory back. */
const REST_MS = 60_000;

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database?schema=…`; more in docs/postgres.md. */
  readonly url: string;
  /** Folder of what programs open by path, on this host; made if missing. */
  readonly home: string;
  /** Keys of the contents; null, or absent: they are not encrypted. */
  readonly ring?: KeyRing | null;
}

/** Conversations in Postgres, for Workers on several hosts. Connects, and brings the schema up to date, when it is
 *  first used.
 *  Fails: StoreError `io` when the URL cannot be used. */
export function createPostgresStore({
  url,
  home,
  ring = null,
}: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(new Database(parseStoreUrl(url), new Bodies(ring)), home);
}

export class PostgresStore implements TranscriptStore {
  private readonly sessions = new Map<
    string,
    { readonly madeBy: string; session: PostgresSession }
  >();
  readonly workers: PostgresWorkers;
  readonly pauses: PostgresPauses;
  private readonly notices: Notices;
  private readonly timer = setInterval(() => void this.restIdle(), REST_MS).unref();

  constructor(
    private readonly database: Database,
    private readonly home: string,
  ) {
    this.notices = new Notices(database);
    this.workers = new PostgresWorkers(database);
    this.pauses = new PostgresPauses(database, this.notices);
  }

  get place(): string {
    return this.database.place;
  }

  async createSession(meta: SessionMeta): Promise<SessionStore> {
    const { schema } = this.database;
    const madeBy = randomUUID();
    await this.database.query(
      'create a session in',
      `WITH made AS (
         INSERT INTO ${schema}.sessions (id, cwd, persistent, made_by, meta, workspace)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id
       )
       INSERT INTO ${schema}.heads (session) SELECT id FROM made`,
      [
        requireFileName(meta.sessionId),
        meta.cwd,
        meta.persistent,
        madeBy,
        JSON.stringify(meta),
        meta.workspace ?? null,
      ],
    );
    const made = await this.find(meta.sessionId);
    if (made?.madeBy === madeBy) return this.keep(meta, madeBy);
    throw new StoreError(
      'session_exists',
      `Session ${meta.sessionId} exists in ${this.place}. Resume it, or choose another id.`,
    );
  }

  async openSession(sessionId: string): Promise<SessionStore | undefined> {
    if (!isFileName(sessionId)) return undefined;
    const found = await this.find(sessionId);
    if (found !== undefined) return this.keep(found.meta, found.madeBy);
    this.sessions.delete(sessionId);
    return undefined;
  }

  async listSessions(): Promise<readonly SessionMeta[]> {
    const rows = await this.database.query<MetaRow>(
      'list the sessions of',
      `SELECT meta, workspace FROM ${this.database.schema}.sessions ORDER BY made_at`,
      [],
    );
    return rows.map(fromMetaRow);
  }

  /** Other programs record into files, which no other host sees. */
  listRecorded(): Promise<readonly SessionMeta[]> {
    return Promise.resolve([]);
  }

  async newestSession(cwd: string): Promise<SessionStore | undefined> {
    const { schema } = this.database;
    const [newest] = await this.database.query<{ id: string }>(
      'list the sessions of',
      `SELECT id FROM ${schema}.sessions JOIN ${schema}.heads ON session = id
       WHERE cwd = $1 AND persistent ORDER BY written_at DESC LIMIT 1`,
      [cwd],
    );
    return newest && this.openSession(newest.id);
  }

  async claimDay(work: string, day: string): Promise<boolean> {
    const { schema } = this.database;
    const claimed = await this.database.query(
      'claim work in',
      `INSERT INTO ${schema}.claims AS claims (work, day, claimed_by) VALUES ($1, $2, $3)
       ON CONFLICT (work) DO UPDATE SET day = excluded.day, claimed_by = excluded.claimed_by
       WHERE claims.day < excluded.day OR claims.claimed_by = excluded.claimed_by
       RETURNING 1`,
      [work, day, randomUUID()],
    );
    return claimed.length > 0;
  }

  /** What people should know of the server. `durable`: what it confirms outlives a power cut. Fails: StoreError. */
  async describe(): Promise<{ readonly version: string; readonly durable: boolean }> {
    const [row] = await this.database.query<{ version: string; fsync: string }>(
      'ask',
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync`,
      [],
    );
    const version = `Postgres ${row?.version ?? '?'}, schema version ${MIGRATIONS.length}`;
    return { version, durable: row?.fsync === 'on' };
  }

  /** How many rows need which key. Fails: StoreError. */
  keyUse(): Promise<readonly KeyUse[]> {
    return keyUse(this.database);
  }

  /** Encrypts with the newest key what is not; nothing, where there are no keys. Fails: StoreError. */
  async reseal(onRows: (rows: number) => void): Promise<Resealed> {
    const { ring } = this.database.bodies;
    if (ring === null) return { rows: 0, unreadable: [] };
    return reseal(this.database, ring.newestId, onRows);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.sessions.clear();
    await this.notices.stop();
    await this.database.close();
  }

  private async find(
    sessionId: string,
  ): Promise<{ readonly meta: SessionMeta; readonly madeBy: string } | undefined> {
    const [row] = await this.database.query<MetaRow & { made_by: string }>(
      'look for a session in',
      `SELECT meta, workspace, made_by FROM ${this.database.schema}.sessions WHERE id = $1`,
      [sessionId],
    );
    return row && { meta: fromMetaRow(row), madeBy: row.made_by };
  }

  /** One instance a session, whoever opens it: it keeps what was read. */
  private keep(meta: SessionMeta, madeBy: string): PostgresSession {
    const { sessionId, workspace } = meta;
    const known = this.sessions.get(sessionId);
    if (known?.madeBy === madeBy && known.session.meta.workspace === workspace) {
      return known.session;
    }
    const name = sessionWorkflowId(this.place, sessionId);
    const session = new PostgresSession(meta, {
      database: this.database,
      notices: this.notices,
      folder: new SessionFolder(join(this.home, 'sessions', name)),
      onDelete: () => this.sessions.delete(sessionId),
    });
    this.sessions.set(sessionId, { madeBy, session });
    return session;
  }

  private async restIdle(): Promise<void> {
    for (const { session } of this.sessions.values()) await session.restIfIdle();
  }
}

interface MetaRow {
  readonly meta: string;
  readonly workspace: string | null;
}

/** The workspace of the row counts: that of the text is where the session began. */
function fromMetaRow({ meta, workspace }: MetaRow): SessionMeta {
  const made = JSON.parse(meta) as SessionMeta;
  return workspace === null ? made : { ...made, workspace };
}
