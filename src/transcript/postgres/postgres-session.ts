import { join } from 'node:path';
import { disk } from '../../disk/disk';
import { bytesOf } from '../../disk/folder';
import type { ToolUseRef } from '../../loop/context';
import { makeFolder } from '../files/atomic-write';
import type { SessionFolder } from '../files/session-folder';
import type { Collected, CollectedKind } from '../collection';
import type { InboxMessage } from '../message';
import type { PermissionAnswer } from '../permission';
import type { TranscriptRecord } from '../record';
import type {
  CollectRequest,
  Lease,
  LeaseOwner,
  Rewind,
  SessionFolderName,
  SessionMeta,
  SessionStore,
  SessionWeight,
} from '../store';
import type { Database } from './database';
import { collectRows } from './collect-rows';
import { KeptBytes } from './kept-bytes';
import { fenceOf, Leases } from './leases';
import { LocalTranscript } from './local-transcript';
import type { Notices } from './notices';
import { PostgresLedger } from './postgres-ledger';
import { PostgresLog } from './postgres-log';
import { PostgresRecords } from './postgres-records';

/** One session in Postgres. What programs open by path (the folders of calls, shells and large results, and a copy
 *  of the transcript) lies on the disk of the host that runs them. */
export class PostgresSession implements SessionStore {
  readonly transcriptPath: string;
  readonly ledger: PostgresLedger;
  readonly log: PostgresLog;
  readonly kept: KeptBytes;
  private readonly leases: Leases;
  private readonly records: PostgresRecords;

  constructor(
    readonly meta: SessionMeta,
    private readonly of: {
      readonly database: Database;
      readonly notices: Notices;
      readonly folder: SessionFolder;
      readonly onDelete: () => void;
    },
  ) {
    const { database, notices, folder } = of;
    const { sessionId } = meta;
    this.transcriptPath = folder.transcript;
    this.leases = new Leases(database, notices, sessionId);
    const local = new LocalTranscript(folder.transcript);
    this.records = new PostgresRecords(database, this.leases, { sessionId, local });
    this.ledger = new PostgresLedger(database, this.leases, sessionId);
    this.log = new PostgresLog(database, notices, { sessionId, leases: this.leases });
    this.kept = new KeptBytes(database, sessionId);
  }

  folderPath(name: SessionFolderName): string {
    return join(this.of.folder.path, name);
  }

  async folder(name: SessionFolderName): Promise<string> {
    const path = this.folderPath(name);
    if (!disk.existsSync(path)) await makeFolder(path);
    return path;
  }

  acquireLease(
    owner: LeaseOwner,
    isAlive: (owner: LeaseOwner) => Promise<boolean>,
  ): Promise<Lease> {
    this.kept.forget();
    return this.leases.acquire(owner, isAlive);
  }

  currentLease(): Promise<Lease | undefined> {
    return this.leases.current();
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.leases.release(lease);
  }

  async requireRoom(): Promise<void> {
    await this.write(
      'make room in',
      'UPDATE @heads SET written_at = written_at WHERE session = $1',
    );
  }

  lastLeaf(): Promise<string | null> {
    return this.records.lastLeaf();
  }

  findRecord(uuid: string): Promise<TranscriptRecord | undefined> {
    return this.records.find(uuid);
  }

  chain(leaf: string): Promise<readonly TranscriptRecord[]> {
    return this.records.chain(leaf);
  }

  append(
    lease: Lease,
    key: string,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]> {
    return this.records.append(lease, key, records);
  }

  findAppended(key: string): Promise<readonly TranscriptRecord[] | undefined> {
    return this.records.appended(key);
  }

  async putMessage(message: InboxMessage): Promise<void> {
    await this.write(
      'leave a message in',
      'INSERT INTO @messages (session, id, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      message.id,
      this.seal(message, 'messages', message.id),
    );
  }

  async findMessage(id: string): Promise<InboxMessage | undefined> {
    const body = await this.read('SELECT body FROM @messages WHERE session = $1 AND id = $2', id);
    return body === undefined ? undefined : (this.open(body, 'messages', id) as InboxMessage);
  }

  async putAnswer(call: ToolUseRef, answer: PermissionAnswer): Promise<PermissionAnswer> {
    await this.write(
      'leave an answer in',
      'INSERT INTO @answers (session, record_id, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      call.recordId,
      this.seal(answer, 'answers', call.recordId),
    );
    return (await this.findAnswer(call)) ?? answer;
  }

  async findAnswer({ recordId }: ToolUseRef): Promise<PermissionAnswer | undefined> {
    const body = await this.read(
      'SELECT body FROM @answers WHERE session = $1 AND record_id = $2',
      recordId,
    );
    return body === undefined
      ? undefined
      : (this.open(body, 'answers', recordId) as PermissionAnswer);
  }

  async putRewind(rewind: Rewind): Promise<void> {
    await this.write(
      'rewind',
      `INSERT INTO @rewinds (session, body) VALUES ($1, $2)
       ON CONFLICT (session) DO UPDATE SET body = excluded.body`,
      this.seal(rewind, 'rewinds'),
    );
  }

  async findRewind(): Promise<Rewind | undefined> {
    const body = await this.read('SELECT body FROM @rewinds WHERE session = $1');
    return body === undefined ? undefined : (this.open(body, 'rewinds') as Rewind);
  }

  async readDocument(name: string): Promise<unknown> {
    const body = await this.read(
      'SELECT body FROM @documents WHERE session = $1 AND name = $2',
      name,
    );
    return body === undefined ? undefined : this.open(body, 'documents', name);
  }

  async writeDocument(lease: Lease, name: string, document: unknown): Promise<void> {
    const { schema } = this.of.database;
    const [outcome] = await this.of.database.query<{ fenced: boolean }>(
      'write a document of',
      `WITH ${fenceOf(schema)}, written AS (
         INSERT INTO ${schema}.documents (session, name, body) SELECT $1, $4, $5 FROM fence
         ON CONFLICT (session, name) DO UPDATE SET body = excluded.body
       )
       SELECT NOT EXISTS (SELECT 1 FROM fence) AS fenced`,
      [
        this.meta.sessionId,
        lease.epoch,
        lease.owner.workerId,
        name,
        this.seal(document, 'documents', name),
      ],
    );
    if (outcome?.fenced !== false) throw this.leases.stale(lease);
  }

  collect(request: CollectRequest): Promise<Readonly<Record<CollectedKind, Collected>>> {
    const { ledger, log, leases } = this;
    const { sessionId } = this.meta;
    return collectRows({ sessionId, database: this.of.database, leases, ledger, log }, request);
  }

  async weigh(): Promise<SessionWeight> {
    const sums = WEIGHED.map(
      ([table, column]) =>
        `(SELECT coalesce(sum(octet_length(${column})), 0) FROM @${table} WHERE session = $1)`,
    );
    const [row] = await this.of.database.query<{
      transcript: string;
      other: string;
      written: Date;
    }>(
      'weigh a session of',
      this.toSql(
        `SELECT (SELECT coalesce(sum(octet_length(body)), 0) FROM @records WHERE session = $1)
           AS transcript, ${sums.join(' + ')} AS other,
           (SELECT written_at FROM @heads WHERE session = $1) AS written`,
      ),
      [this.meta.sessionId],
    );
    const folderBytes = await bytesOf(this.of.folder.path);
    return {
      transcriptBytes: Number(row?.transcript ?? 0),
      otherBytes: Number(row?.other ?? 0) + folderBytes,
      writtenAt: row?.written.toISOString() ?? this.meta.createdAt,
    };
  }

  /** The row goes last: all others hang on it. */
  async delete(): Promise<void> {
    await this.rest();
    this.of.onDelete();
    await this.of.folder.remove();
    await this.write('delete', 'DELETE FROM @sessions WHERE id = $1');
  }

  /** Gives memory back; whoever uses the session next gets it again. */
  async rest(): Promise<void> {
    await this.records.rest();
  }

  /** `rest` if nobody has read or written records since the last time it was asked. */
  async restIfIdle(): Promise<void> {
    if (this.records.isIdle) await this.rest();
    this.records.isIdle = true;
  }

  private seal(content: unknown, table: string, ...row: readonly string[]): string {
    const { bodies } = this.of.database;
    return bodies.seal(JSON.stringify(content), [table, this.meta.sessionId, ...row]);
  }

  private open(body: string, table: string, ...row: readonly string[]): unknown {
    const { bodies } = this.of.database;
    return JSON.parse(bodies.open(body, [table, this.meta.sessionId, ...row]));
  }

  /** `@`: the schema. `$1`: the session. */
  private async write(doing: string, text: string, ...values: readonly string[]): Promise<void> {
    await this.of.database.query(doing, this.toSql(text), [this.meta.sessionId, ...values]);
  }

  /** The one row's `body`; undefined: there is none. */
  private async read(text: string, ...values: readonly string[]): Promise<string | undefined> {
    const [row] = await this.of.database.query<{ body: string }>('read', this.toSql(text), [
      this.meta.sessionId,
      ...values,
    ]);
    return row?.body;
  }

  private toSql(text: string): string {
    return text.replace(/@(?=[a-z])/g, () => `${this.of.database.schema}.`);
  }
}

/** Tables with what a session weighs beside its records, and the column that has the weight. */
const WEIGHED = [
  ['ledger', 'body'],
  ['log', 'body'],
  ['deltas', 'body'],
  ['messages', 'body'],
  ['answers', 'body'],
  ['documents', 'body'],
  ['kept', 'bytes'],
] as const;
