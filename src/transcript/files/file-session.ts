import { dirname, join } from 'node:path';
import { disk } from '../../disk/disk';
import { bytesOf, syncFolder } from '../../disk/folder';
import type { ToolUseRef } from '../../loop/context';
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
import { Answers } from './answers';
import { makeFolder, replaceFile, requireRoom } from './atomic-write';
import { collectFiles } from './collect-files';
import { toStoreError, unlessMissing } from './disk-error';
import { DocumentFolder } from './document-folder';
import { FileLedger } from './file-ledger';
import { FileLog } from './file-log';
import { Inbox } from './inbox';
import { KeptFolder } from './kept-folder';
import { LeaseFolder, type Predecessor } from './lease-folder';
import { endLiveFiles } from './live-file';
import { RecordFile } from './record-file';
import type { SessionFolder } from './session-folder';
import { removeCopies, replaceInode } from './take-over';

/** One session in files. A store has one instance a session: the order of writes is kept in here. */
export class FileSession implements SessionStore {
  readonly transcriptPath: string;
  readonly ledger: FileLedger;
  readonly log: FileLog;
  readonly kept: KeptFolder;
  private readonly records: RecordFile;
  private readonly leases: LeaseFolder;
  private readonly inbox: Inbox;
  private readonly documents: DocumentFolder;
  private readonly answers: Answers;
  private hasFolder = false;

  constructor(
    readonly meta: SessionMeta,
    private readonly of: {
      readonly folder: SessionFolder;
      readonly transcriptPath: string;
      readonly onDelete: () => void;
    },
  ) {
    const { folder } = of;
    this.transcriptPath = of.transcriptPath;
    this.leases = new LeaseFolder(folder.leases);
    this.records = new RecordFile(of.transcriptPath, folder.torn);
    this.ledger = new FileLedger(folder.ledger, this.leases, folder.torn);
    this.log = new FileLog(folder, this.leases, () => this.ensureFolder());
    this.kept = new KeptFolder(folder.kept, () => this.ensureFolder());
    this.inbox = new Inbox(folder.inbox);
    this.documents = new DocumentFolder(folder.documents);
    this.answers = new Answers(folder.answers);
  }

  folderPath(name: SessionFolderName): string {
    return join(this.of.folder.path, name);
  }

  async folder(name: SessionFolderName): Promise<string> {
    await this.ensureFolder();
    const path = this.folderPath(name);
    if (!disk.existsSync(path)) await makeFolder(path);
    return path;
  }

  async acquireLease(
    owner: LeaseOwner,
    isAlive: (owner: LeaseOwner) => Promise<boolean>,
  ): Promise<Lease> {
    await this.ensureFolder();
    this.kept.forget();
    const { lease, predecessor } = await this.leases.acquire(owner, isAlive);
    try {
      await this.takeOver(lease, predecessor);
    } catch (error) {
      await this.leases.abandon(lease);
      throw error;
    }
    return lease;
  }

  currentLease(): Promise<Lease | undefined> {
    return this.leases.current();
  }

  requireRoom(): Promise<void> {
    return requireRoom(dirname(this.transcriptPath));
  }

  async releaseLease(lease: Lease): Promise<void> {
    this.leases.close(lease);
    const written = [...this.appended(), this.documents];
    await Promise.all(written.map((file) => file.drained()));
    await this.log.endLive();
    // The next holder of a released lease goes on in the same files, and trusts what it finds there.
    const isClean = await Promise.all(this.appended().map((file) => file.settled())).then(
      () => true,
      () => false,
    );
    await (isClean ? this.leases.release(lease) : this.leases.abandon(lease));
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
    return this.records.append(this.leases.fence(lease), key, records);
  }

  findAppended(key: string): Promise<readonly TranscriptRecord[] | undefined> {
    return this.records.appended(key);
  }

  async putMessage(message: InboxMessage): Promise<void> {
    await this.ensureFolder();
    await this.inbox.put(message);
  }

  findMessage(id: string): Promise<InboxMessage | undefined> {
    return this.inbox.find(id);
  }

  putAnswer(call: ToolUseRef, answer: PermissionAnswer): Promise<PermissionAnswer> {
    return this.answers.put(call, answer);
  }

  findAnswer(call: ToolUseRef): Promise<PermissionAnswer | undefined> {
    return this.answers.find(call);
  }

  async putRewind(rewind: Rewind): Promise<void> {
    await this.ensureFolder();
    await replaceFile(this.of.folder.rewind, JSON.stringify(rewind));
  }

  async findRewind(): Promise<Rewind | undefined> {
    const { rewind: path } = this.of.folder;
    try {
      const text = await unlessMissing(disk.readFile(path, 'utf8'));
      return text === undefined ? undefined : (JSON.parse(text) as Rewind);
    } catch (error) {
      throw toStoreError(error, 'read', path);
    }
  }

  readDocument(name: string): Promise<unknown> {
    return this.documents.read(name);
  }

  writeDocument(lease: Lease, name: string, document: unknown): Promise<void> {
    return this.documents.write(lease.epoch, this.leases.fence(lease), { name, document });
  }

  collect(request: CollectRequest): Promise<Readonly<Record<CollectedKind, Collected>>> {
    const { lease } = request;
    const rewriter = lease && { epoch: lease.epoch, fence: this.leases.fence(lease) };
    const { folder, transcriptPath } = this.of;
    const { ledger, kept } = this;
    return collectFiles({ folder, transcriptPath, ledger, kept }, request, rewriter);
  }

  async weigh(): Promise<SessionWeight> {
    const transcriptBytes = await bytesOf(this.transcriptPath);
    const writtenMs = disk.statSync(this.transcriptPath)?.mtimeMs;
    const folderBytes = await bytesOf(this.of.folder.path);
    const isInside = dirname(this.transcriptPath) === this.of.folder.path;
    return {
      transcriptBytes,
      otherBytes: folderBytes - (isInside ? transcriptBytes : 0),
      writtenAt: writtenMs === undefined ? this.meta.createdAt : new Date(writtenMs).toISOString(),
    };
  }

  async delete(): Promise<void> {
    await this.rest();
    this.of.onDelete();
    const path = this.transcriptPath;
    try {
      await unlessMissing(removeCopies(path, Infinity));
      await disk.rm(path, { force: true });
      await unlessMissing(syncFolder(dirname(path)));
    } catch (error) {
      throw toStoreError(error, 'delete', path);
    }
    await this.of.folder.remove();
  }

  /** Gives memory and file descriptors back; whoever uses the session next gets them again. */
  async rest(): Promise<void> {
    this.inbox.rest();
    await Promise.all(this.appended().map((file) => file.rest()));
  }

  /** `rest` if nobody has read or written records since the last time it was asked. */
  async restIfIdle(): Promise<void> {
    if (this.records.isIdle) await this.rest();
    this.records.isIdle = true;
  }

  private async takeOver(lease: Lease, predecessor: Predecessor): Promise<void> {
    const fence = this.leases.fence(lease);
    if (predecessor === 'fenced') {
      for (const path of this.appended().map((file) => file.path)) {
        await replaceInode(path, lease.epoch, fence);
      }
      await this.documents.claim(lease.epoch);
    }
    for (const file of this.appended()) await file.cutTornTail(fence);
    await endLiveFiles(this.of.folder.live, lease.epoch);
  }

  private appended(): readonly [RecordFile, FileLedger, FileLog] {
    return [this.records, this.ledger, this.log];
  }

  /** A session that another program has recorded gets its folder when something is to be kept in it. */
  private async ensureFolder(): Promise<void> {
    if (this.hasFolder) return;
    if (!disk.existsSync(this.of.folder.meta)) await this.of.folder.create(this.meta);
    await makeFolder(dirname(this.transcriptPath));
    this.hasFolder = true;
  }
}
