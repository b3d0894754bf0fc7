import type { ToolUseRef } from '../loop/context';
import type { Collected, CollectedKind } from './collection';
import type { FileChange, FilesFound, LedgerEvent, TrackedFile } from './file-history';
import type { FollowedEntry, LiveEvent, LogCursor, LogEntry } from './session-log';
import type { InboxMessage } from './message';
import type { PermissionAnswer } from './permission';
import type { TranscriptRecord } from './record';
import type { StreamId } from './stream-id';
import type { WorkerRegister } from './worker-register';

/** Where conversations live. Two back ends (files, Postgres), one contract: test/transcript/store-contract.ts. */
export interface TranscriptStore {
  /** Names the place; its hash is part of every Workflow id, so that one session id in two stores is two Workflows. */
  readonly place: string;
  /** Absent: Workers of other hosts do not share the store, or cannot be asked after. */
  readonly workers?: WorkerRegister;
  /** Fails: StoreError `session_exists` when the id is taken, `no_space` or `io` when its transcript could not be kept. */
  createSession(meta: SessionMeta): Promise<SessionStore>;
  /** undefined: neither this store nor a transcript in the working folder knows the id. */
  openSession(sessionId: string): Promise<SessionStore | undefined>;
  listSessions(): Promise<readonly SessionMeta[]>;
  /** Sessions that another program has recorded and nobody has resumed here; `openSession` takes them. */
  listRecorded(): Promise<readonly SessionMeta[]>;
  /** The session of the working folder that was written to last, whoever wrote it. `cwd`: with links resolved.
   *  undefined: it has none. */
  newestSession(cwd: string): Promise<SessionStore | undefined>;
  /** true: nobody of this store has claimed the work of that day before. `day`: "2026-11-22". */
  claimDay(work: string, day: string): Promise<boolean>;
  readonly pauses: ProviderPauses;
  close(): Promise<void>;
}

/** When a provider may be asked again that has told one of the store's Workers to wait. `provider`: a file name. */
export interface ProviderPauses {
  /** ms that are left; 0: it may be asked. Asked before each request, so mostly no look at a server. */
  remainingMs(provider: string): Promise<number>;
  /** From now on for so many ms; the longest pause counts. */
  pause(provider: string, ms: number): Promise<void>;
}

/** Fixed when a session is created. */
export interface SessionMeta {
  readonly sessionId: string;
  /** Absolute, with links resolved. */
  readonly cwd: string;
  /** Where the session's Workflows and Activities are scheduled. */
  readonly taskQueue: string;
  /** ISO instant. */
  readonly createdAt: string;
  /** Who may serve the session's Activities: a process with the same base URL, kind of credentials and folder. */
  readonly fingerprint: Fingerprint;
  /** false: deleted when the session ends. */
  readonly persistent: boolean;
  /** Where its calls run, in a store of several hosts; people may move it. Absent: wherever its Task Queue is polled. */
  readonly workspace?: string;
}

export interface Fingerprint {
  readonly baseUrl: string;
  readonly credentials: 'api_key' | 'auth_token' | 'none';
}

/** One session. Readers need nothing; writers pass the lease they hold. Every write is on disk when it resolves. */
export interface SessionStore {
  readonly meta: SessionMeta;
  /** Absolute path of the transcript, as hooks and people know it. */
  readonly transcriptPath: string;
  /** A folder of the session for files that are too large for records; created on first use. */
  folder(name: SessionFolderName): Promise<string>;
  /** Where that folder is, or would be. */
  folderPath(name: SessionFolderName): string;

  /** Becomes the one writer. The holder before is fenced off: what it still writes is refused or lost.
   *  Fails: StoreError `lease_held` while `isAlive` says that the holder lives. */
  acquireLease(owner: LeaseOwner, isAlive: (owner: LeaseOwner) => Promise<boolean>): Promise<Lease>;
  /** undefined: nobody holds it. */
  currentLease(): Promise<Lease | undefined>;
  releaseLease(lease: Lease): Promise<void>;

  /** Finds out by trying whether anything more fits. Fails: StoreError `no_space` or `io`, with the cure. */
  requireRoom(): Promise<void>;

  /** uuid of the transcript's last chained record; null: empty. */
  lastLeaf(): Promise<string | null>;
  findRecord(uuid: string): Promise<TranscriptRecord | undefined>;
  /** The context that `leaf` names, oldest first, from the last compact boundary on.
   *  Fails: StoreError `record_missing` naming the uuid when a link of the chain is not there. */
  chain(leaf: string): Promise<readonly TranscriptRecord[]>;
  /** Appends records in one write. The key makes it idempotent: a second append with the same key writes nothing
   *  and returns what is there. */
  append(
    lease: Lease,
    key: string,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]>;
  /** Records that were appended under the key; undefined: none. */
  findAppended(key: string): Promise<readonly TranscriptRecord[] | undefined>;

  /** Anybody may write a message; the same id twice is one message. */
  putMessage(message: InboxMessage): Promise<void>;
  findMessage(id: string): Promise<InboxMessage | undefined>;

  /** Anybody may answer a permission question. Returns the answer that counts: the first. */
  putAnswer(call: ToolUseRef, answer: PermissionAnswer): Promise<PermissionAnswer>;
  findAnswer(call: ToolUseRef): Promise<PermissionAnswer | undefined>;

  readonly ledger: Ledger;
  readonly log: SessionLog;
  readonly kept: KeptFiles;

  /** Anybody may set where the conversation goes on; the last one counts. */
  putRewind(rewind: Rewind): Promise<void>;
  findRewind(): Promise<Rewind | undefined>;

  /** Small JSON documents that belong to the session as a whole (context, totals); replaced atomically. */
  readDocument(name: string): Promise<unknown>;
  writeDocument(lease: Lease, name: string, document: unknown): Promise<void>;

  /** Removes what is old and not needed to go on, or looks what would go. For sessions that nothing runs for.
   *  Safe to repeat. Fails: StoreError `lease_stale`. */
  collect(request: CollectRequest): Promise<Readonly<Record<CollectedKind, Collected>>>;

  /** How much is kept of the session. On a Postgres store, of the folders on hosts only this one's count. */
  weigh(): Promise<SessionWeight>;
  /** Removes everything of the session. What it is found by goes last: one that was cut short is found, and done,
   *  again. */
  delete(): Promise<void>;
}

export interface CollectRequest {
  /** null: nothing is removed. */
  readonly lease: Lease | null;
  readonly kinds: readonly CollectedKind[];
  /** ISO instant: what is older goes. */
  readonly before: string;
}

/** Bytes. */
export interface SessionWeight {
  readonly transcriptBytes: number;
  /** Ledger, log, kept files, folders. */
  readonly otherBytes: number;
  /** ISO instant of the last record; of its creation, where it has none. */
  readonly writtenAt: string;
}

export type SessionFolderName = 'tool-results' | 'calls' | 'shells' | 'todos';

/** `epoch` grows by one with every holder. A commit with an old epoch is refused. */
export interface Lease {
  readonly epoch: number;
  readonly owner: LeaseOwner;
}

/** A process that serves. Liveness is asked at its socket: pids are reused and zombies look alive. */
export interface LeaseOwner {
  readonly workerId: string;
  readonly host: string;
  readonly socket: string;
  /** Absent: an older build wrote it. */
  readonly pid?: number;
}

/** What was about to be done and what came of it, per tool call and per model request. */
export interface Ledger {
  find(call: ToolUseRef): Promise<LedgerEntry | undefined>;
  /** Before the effect. A second intent of the same call is refused: StoreError `intent_exists`. */
  recordIntent(lease: Lease, call: ToolUseRef, intent: Intent): Promise<void>;
  /** After the effect: the finished user record. The first result of a call is the one that counts. */
  recordResult(lease: Lease, call: ToolUseRef, result: CallResult): Promise<CallResult>;
  /** Failed attempts of a model request, by Activity key: lost Workers do not count, API failures do. */
  failures(key: string): Promise<readonly ApiFailure[]>;
  recordFailure(lease: Lease, key: string, failure: ApiFailure): Promise<void>;
  /** Before the file changes. The first change of a call to a file counts. */
  recordChange(lease: Lease, call: ToolUseRef, change: FileChange): Promise<void>;
  /** The first look at a moment counts. */
  recordFound(lease: Lease, found: FilesFound): Promise<void>;
  /** The files that calls have changed, by path. */
  trackedFiles(): Promise<ReadonlyMap<string, TrackedFile>>;
  /** Reads all of it. */
  events(): Promise<readonly LedgerEvent[]>;
}

/** Contents of files, by what is in them. */
export interface KeptFiles {
  /** Returns the digest: hex SHA-256. The same content twice is kept once. */
  put(bytes: Buffer): Promise<string>;
  /** undefined: it was never kept, or is damaged. */
  get(digest: string): Promise<Buffer | undefined>;
}

/** Where the next message goes, while the transcript still ends with `end`: what came in since makes it void. */
export interface Rewind {
  /** uuid of the last record that stays; null: none does. */
  readonly leaf: string | null;
  /** uuid of the transcript's last record when it was set. */
  readonly end: string | null;
  /** Id of the message that went there; null: none has. */
  readonly usedBy: string | null;
}

/** `intent: null`: the call ended before there was an effect to announce (denied, bad input). */
export type LedgerEntry =
  | { readonly intent: Intent; readonly result?: CallResult }
  | { readonly intent: null; readonly result: CallResult };

export interface Intent {
  readonly tool: string;
  /** Activity attempt that wrote it. */
  readonly attempt: number;
  /** ISO instant. */
  readonly at: string;
  /** false: the effect may simply be repeated, so the intent need not survive a power cut and costs no disk wait. */
  readonly durable?: boolean;
  /** The boot of the machine on which it was written, where that matters. */
  readonly boot?: string;
  /** The host and folder in which the attempt left traces of what it started, where that matters. Absent: an older
   *  build wrote it. */
  readonly traces?: string;
  /** What hooks said before the call; absent: there was none. */
  readonly hooks?: HookFacts;
}

/** What hooks said about a call, as far as it outlives them. */
export interface HookFacts {
  /** Texts for the model. */
  readonly notes: readonly string[];
  /** What runs instead of the input that the model wrote. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** What the agent's own hook made of the input: it runs as it is. Absent: nothing. */
  readonly args?: unknown;
  /** The query ends with this batch. */
  readonly stops?: true;
}

export interface CallResult {
  /** The user record with the `tool_result`; its `parentUuid` is set when it is chained. */
  readonly record: Extract<TranscriptRecord, { type: 'user' }>;
  /** What hooks have to say about it; chained behind it. */
  readonly notes?: readonly TranscriptRecord[];
  readonly isError: boolean;
  readonly denied?: true;
  readonly workingDirectory?: string;
  /** Who denied it wants the query to end as well. */
  readonly interrupts?: true;
  /** A hook wants the query to end with this batch. */
  readonly hookStopped?: true;
  /** No further reply is wanted. */
  readonly terminate?: true;
  /** It is the value that the caller asked for. */
  readonly structuredOutput?: true;
}

export interface ApiFailure {
  readonly status: number | null;
  readonly error: string;
  readonly at: string;
}

export interface SessionLog {
  /** Outlives this process at once; a power cut may take entries since the last `query_ended`, which waits for
   *  the disk. The transcript is the truth. */
  append(lease: Lease, entries: readonly LogEntry[]): Promise<void>;
  /** All entries after the cursor, then new ones as they are written, until `signal` aborts. */
  follow(from: LogCursor | null, signal: AbortSignal): AsyncGenerator<FollowedEntry, void>;
  /** All entries that are there now. */
  read(): AsyncGenerator<FollowedEntry, void>;
  /** Where the log ends now. */
  end(): Promise<LogCursor>;
  /** Opens the side file of one stream for deltas. */
  openLive(lease: Lease, stream: StreamId): Promise<LiveWriter>;
  /** Deltas of a stream from its beginning until it is committed or discarded. Gone streams yield nothing. */
  followLive(live: string, signal: AbortSignal): AsyncGenerator<LiveEvent, void>;
}

export interface LiveWriter {
  /** Value for `stream_started.live`. */
  readonly name: string;
  /** Buffered; never waits for the disk, never fails the stream. */
  write(event: LiveEvent): void;
  /** Flushes and marks the end; the file goes. */
  close(): Promise<void>;
}
