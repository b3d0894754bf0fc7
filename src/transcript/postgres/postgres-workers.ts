import type { LeaseOwner } from '../store';
import type {
  ListedWorker,
  RegisteredWorker,
  SessionMove,
  ToldWorker,
  WorkerLoad,
  WorkerOrders,
  WorkerRegister,
} from '../worker-register';
import type { Database } from './database';
import { PostgresDrains } from './postgres-drains';

/** As an interval of Postgres. Whoever asks after an older one hears that it is gone, which it is. */
const FORGOTTEN_AFTER = '30 days';
/** Who still wants a lease has asked again since: it is asked for every second. */
const WANTED_FOR = '10 seconds';

/** Workers as rows that they renew. A row is no lease: who renews it too late loses nothing by that alone. */
export class PostgresWorkers implements WorkerRegister {
  readonly drains: PostgresDrains;

  constructor(private readonly database: Database) {
    this.drains = new PostgresDrains(database);
  }

  async tell(
    { owner, workspace }: RegisteredWorker,
    { running, isDrained }: WorkerLoad = IDLE,
  ): Promise<WorkerOrders> {
    const { schema } = this.database;
    const orders = await this.database.query<{ session: string | null; is_drained: boolean }>(
      'tell of a Worker in',
      `WITH told AS (
         INSERT INTO ${schema}.workers (id, host, workspace, queue, running, is_drained)
         VALUES ($1, $2, $3, $4, $6, $7)
         ON CONFLICT (id) DO UPDATE SET seen_at = now(), running = $6, is_drained = $7
         WHERE workers.left_at IS NULL
       )
       SELECT session, EXISTS (SELECT 1 FROM ${schema}.drains WHERE host = $2) AS is_drained
       FROM (SELECT 1) AS self LEFT JOIN ${schema}.heads
       ON worker = $1 AND is_held AND wanted_at > now() - $5::interval`,
      [
        owner.workerId,
        owner.host,
        workspace?.name,
        workspace?.taskQueue,
        WANTED_FOR,
        running,
        isDrained,
      ],
    );
    return {
      wanted: orders.flatMap(({ session }) => session ?? []),
      isDrained: orders.some((order) => order.is_drained),
    };
  }

  async leave({ workerId }: LeaseOwner): Promise<void> {
    await this.database.query(
      'take leave of',
      `UPDATE ${this.database.schema}.workers SET left_at = now(), seen_at = now() WHERE id = $1`,
      [workerId],
    );
  }

  async find(workerId: string): Promise<ToldWorker | undefined> {
    const [row] = await this.database.query<{ silent_ms: number; word: string }>(
      'ask for a Worker in',
      `SELECT ${SILENT_MS}, seen_at::text AS word
       FROM ${this.database.schema}.workers WHERE id = $1 AND left_at IS NULL`,
      [workerId],
    );
    return row && { silentMs: row.silent_ms, word: row.word };
  }

  async forgetLongGone(): Promise<void> {
    await this.database.query(
      'forget Workers of',
      `DELETE FROM ${this.database.schema}.workers WHERE seen_at < now() - $1::interval`,
      [FORGOTTEN_AFTER],
    );
  }

  async list(): Promise<readonly ListedWorker[]> {
    const rows = await this.database.query<ListedRow>(
      'list the Workers of',
      `SELECT id, host, workspace, queue, began_at, seen_at, left_at IS NOT NULL AS has_left,
         running, is_drained, ${SILENT_MS}
       FROM ${this.database.schema}.workers WHERE workspace IS NOT NULL ORDER BY workspace, began_at`,
      [],
    );
    return rows.map((row) => ({
      workerId: row.id,
      host: row.host,
      workspace: { name: row.workspace, taskQueue: row.queue },
      silentMs: row.silent_ms,
      beganAt: row.began_at.toISOString(),
      seenAt: row.seen_at.toISOString(),
      hasLeft: row.has_left,
      running: row.running,
      isDrained: row.is_drained,
    }));
  }

  async moveSession(sessionId: string, { from, to }: SessionMove): Promise<string> {
    const { schema } = this.database;
    await this.database.query(
      'move a session in',
      `UPDATE ${schema}.sessions SET workspace = $2
       WHERE id = $1 AND ($3::text IS NULL OR workspace = $3)`,
      [sessionId, to, from],
    );
    // Read in any case: a statement that was repeated after a lost connection finds its own work done.
    const [row] = await this.database.query<{ workspace: string | null }>(
      'look where a session is in',
      `SELECT workspace FROM ${schema}.sessions WHERE id = $1`,
      [sessionId],
    );
    return row?.workspace ?? to;
  }
}

const IDLE: WorkerLoad = { running: 0, isDrained: false };

const SILENT_MS = 'extract(epoch FROM now() - seen_at)::float8 * 1000 AS silent_ms';

interface ListedRow {
  readonly id: string;
  readonly host: string;
  readonly workspace: string;
  readonly queue: string;
  readonly began_at: Date;
  readonly seen_at: Date;
  readonly has_left: boolean;
  readonly silent_ms: number;
  readonly running: number;
  readonly is_drained: boolean;
}
