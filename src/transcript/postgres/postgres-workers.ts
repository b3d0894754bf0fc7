import type { LeaseOwner } from '../store';
import type { ToldWorker, WorkerRegister } from '../worker-register';
import type { Database } from './database';

/** As an interval of Postgres. Whoever asks after an older one hears that it is gone, which it is. */
const FORGOTTEN_AFTER = '30 days';

/** Workers as rows that they renew. A row is no lease: who renews it too late loses nothing by that alone. */
export class PostgresWorkers implements WorkerRegister {
  constructor(private readonly database: Database) {}

  async tell({ workerId, host }: LeaseOwner): Promise<void> {
    await this.database.query(
      'tell of a Worker in',
      `INSERT INTO ${this.table} (id, host) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET seen_at = now() WHERE workers.left_at IS NULL`,
      [workerId, host],
    );
  }

  async leave({ workerId }: LeaseOwner): Promise<void> {
    await this.database.query(
      'take leave of',
      `UPDATE ${this.table} SET left_at = now() WHERE id = $1`,
      [workerId],
    );
  }

  async find(workerId: string): Promise<ToldWorker | undefined> {
    const [row] = await this.database.query<{ silent_ms: number; word: string }>(
      'ask for a Worker in',
      `SELECT extract(epoch FROM now() - seen_at)::float8 * 1000 AS silent_ms, seen_at::text AS word
       FROM ${this.table} WHERE id = $1 AND left_at IS NULL`,
      [workerId],
    );
    return row && { silentMs: row.silent_ms, word: row.word };
  }

  async forgetLongGone(): Promise<void> {
    await this.database.query(
      'forget Workers of',
      `DELETE FROM ${this.table} WHERE seen_at < now() - $1::interval`,
      [FORGOTTEN_AFTER],
    );
  }

  private get table(): string {
    return `${this.database.schema}.workers`;
  }
}
