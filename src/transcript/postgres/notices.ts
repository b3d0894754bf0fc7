import type { Client } from 'pg';
import { Sleepers } from '../sleepers';
import type { Database } from './database';

/** The net under the server's notices: a pooler in between drops them, and so does a connection that ends. */
const POLL_MS = 5_000;
const AGAIN_MS = 500;

/** What changes: the log of a session, its streams of deltas, or when a provider may be asked again. */
export type NoticeName = `log ${string}` | `live ${string}` | `pause ${string}`;

/** Tells followers what has changed, by LISTEN. One connection a process, however many followers, and none without. */
export class Notices {
  private readonly sleepers = new Sleepers(POLL_MS);
  private readonly users = new Map<string, number>();
  private listening: Promise<Client | undefined> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  /** Of NOTIFY. A database has one name space of channels for all its schemas. */
  get channel(): string {
    return `everloop ${this.database.schema.replaceAll('"', '')}`;
  }

  /** Begins to listen; call `leave` once for each `enter`. */
  enter(name: NoticeName): void {
    this.users.set(name, (this.users.get(name) ?? 0) + 1);
    this.listen();
  }

  leave(name: NoticeName): void {
    const left = (this.users.get(name) ?? 1) - 1;
    if (left > 0) {
      this.users.set(name, left);
      return;
    }
    this.users.delete(name);
    this.sleepers.forget(name);
    if (this.users.size === 0) void this.stop();
  }

  version(name: NoticeName): number {
    return this.sleepers.version(name);
  }

  changed(name: NoticeName, since: number, signal: AbortSignal): Promise<void> {
    return this.sleepers.changed(name, since, signal);
  }

  /** Also called by writers of this process, which need no detour through the server. */
  wake(name: string): void {
    if (this.users.has(name)) this.sleepers.wake(name);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    const listening = this.listening;
    this.listening = undefined;
    await (await listening)?.end().catch(() => undefined);
  }

  private listen(): void {
    this.timer ??= setInterval(() => void this.look(), POLL_MS).unref();
    if (this.listening !== undefined) return;
    const again = (): void => {
      setTimeout(() => {
        if (this.listening !== listening) return;
        this.listening = undefined;
        if (this.users.size > 0) this.listen();
      }, AGAIN_MS).unref();
    };
    const listening = this.connect(again);
    this.listening = listening;
  }

  /** undefined: it did not work. */
  private async connect(onLost: () => void): Promise<Client | undefined> {
    try {
      const client = await this.database.connectAlone();
      client.on('notification', ({ payload = '' }) => this.wake(payload));
      client.once('end', onLost);
      await client.query(`LISTEN "${this.channel}"`);
      // What was written while nobody listened.
      this.sleepers.wake(null);
      return client;
    } catch {
      onLost();
      return undefined;
    }
  }

  /** A connection that was cut off without a word says nothing more, not even that it has ended. */
  private async look(): Promise<void> {
    const client = await this.listening;
    await client?.query('SELECT 1').catch(() => client.end().catch(() => undefined));
  }
}
