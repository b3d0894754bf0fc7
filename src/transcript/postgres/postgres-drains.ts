import type { HostDrain, HostDrains } from '../worker-register';
import type { Database } from './database';

/** Drained hosts as rows of their own: they outlive the Workers of the host. */
export class PostgresDrains implements HostDrains {
  constructor(private readonly database: Database) {}

  async begin(host: string): Promise<void> {
    await this.database.query(
      'drain a host in',
      `INSERT INTO ${this.database.schema}.drains (host) VALUES ($1) ON CONFLICT DO NOTHING`,
      [host],
    );
  }

  /** Of a statement that was repeated after a lost connection too much may be said: that it was not drained. */
  async end(host: string): Promise<boolean> {
    const ended = await this.database.query(
      'end the drain of a host in',
      `DELETE FROM ${this.database.schema}.drains WHERE host = $1 RETURNING host`,
      [host],
    );
    return ended.length > 0;
  }

  async list(): Promise<readonly HostDrain[]> {
    const rows = await this.database.query<{ host: string; since: Date }>(
      'list drained hosts of',
      `SELECT host, since FROM ${this.database.schema}.drains ORDER BY host`,
      [],
    );
    return rows.map(({ host, since }) => ({ host, since: since.toISOString() }));
  }
}
