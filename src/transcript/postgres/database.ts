import { setTimeout as sleep } from 'node:timers/promises';
import { createRequire } from 'node:module';
import type * as Driver from 'pg';
import type { Client, ClientBase, Pool, QueryResultRow } from 'pg';
import { StoreError } from '../store-error';
import type { Bodies } from './bodies';
import { migrate } from './migrate';
import { isPassing, toStoreError } from './postgres-error';
import type { StoreUrl } from './store-url';

/** How long a statement is tried again while the server cannot be reached: a failover takes some seconds. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2_000;
/** A connection that says nothing for so long is given up; the server may have been cut off without a word. */
const SILENCE_MS = 60_000;
const CONNECT_MS = 10_000;

/** Connections to the server of one store. Every statement of the store may be repeated, so a lost connection or a
 *  failover costs time, not an error, unless it lasts. */
export class Database {
  /** Loaded by those alone who keep a store in Postgres. */
  private readonly driver = createRequire(__filename)('pg') as typeof Driver;
  private readonly pool: Pool;
  private migrated: Promise<void> | undefined;
  private isClosed = false;

  /** Connects when it is first used. */
  constructor(
    private readonly url: StoreUrl,
    readonly bodies: Bodies,
  ) {
    this.pool = this.open();
  }

  get place(): string {
    return this.url.place;
  }

  get schema(): string {
    return this.url.schema;
  }

  /** `doing` completes "Cannot …" if it fails. Fails: StoreError. */
  async query<Row extends QueryResultRow>(
    doing: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.persist(doing, async () => {
      await this.ready();
      return (await this.pool.query<Row>(text, [...values])).rows;
    });
  }

  /** Text of a select-list item, after which a commit waits for the disk, or does not. */
  static commits(durable: boolean): string {
    return durable ? '1' : `set_config('synchronous_commit', 'off', true)`;
  }

  /** A connection of its own, for notices; end it. Fails: an error of the driver. */
  async connectAlone(): Promise<Client> {
    await this.ready();
    const client = new this.driver.Client({ ...this.options(), query_timeout: SILENCE_MS });
    // Told to its listeners by `end` as well.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.pool.end();
  }

  /** Once the schema is what this build needs. */
  private async ready(): Promise<void> {
    if (this.isClosed) throw new StoreError('io', `The store ${this.place} was closed.`);
    this.migrated ??= this.migrate();
    try {
      await this.migrated;
    } catch (error) {
      this.migrated = undefined;
      throw error;
    }
  }

  private open(): Pool {
    const pool = new this.driver.Pool({
      ...this.options(),
      max: this.url.connections,
      query_timeout: SILENCE_MS,
      allowExitOnIdle: true,
      verify: (client, done) => void commitToDisk(client).then(() => done(), done),
    });
    // A connection has ended. Whoever uses it hears of it by his statement, and the next one gets another; the event
    // would end the process if nobody listened.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  private async migrate(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await migrate(client, this.url);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  private options() {
    return {
      connectionString: this.url.connectionString,
      application_name: 'everloop',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    };
  }

  private async persist<T>(doing: string, attempt: () => Promise<T>): Promise<T> {
    let failingSince: number | undefined;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        return await attempt();
      } catch (error) {
        failingSince ??= performance.now();
        const isOver = this.isClosed || performance.now() - failingSince > PATIENCE_MS;
        if (isOver || !isPassing(error)) throw toStoreError(error, doing, this.place);
      }
      await sleep(waitMs * (0.5 + Math.random()));
    }
  }
}

/** The server's own default may be laxer. */
async function commitToDisk(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config('synchronous_commit', 'on', false)
     WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
  );
}
