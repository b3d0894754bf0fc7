import { dirname, join } from 'node:path';
import { disk } from '../../disk/disk';
import { storeHash, sessionWorkflowId } from '../place';
import type { SessionMeta, SessionStore, TranscriptStore } from '../store';
import { StoreError } from '../store-error';
import { requireRoom } from './atomic-write';
import { claimDay } from './day-claims';
import { toStoreError } from './disk-error';
import { isFileName, requireFileName } from './file-name';
import { FilePauses } from './file-pauses';
import { FileSession } from './file-session';
import { findTranscript, listTranscripts, transcriptPath } from './project-key';
import { SessionFolder } from './session-folder';
import { metaFromTranscript, readMeta } from './session-meta';

/** How often sessions that nobody has touched since give their memory back. */
const REST_MS = 60_000;

export interface FileStoreOptions {
  /** Folder of everything that is not a transcript; made if missing. */
  readonly home: string;
  /** Folder of the transcripts, `…/projects` of Claude Code; made if missing. */
  readonly projectsFolder: string;
  /** How sessions are served that Claude Code itself has recorded. Default: the API with a key, and a queue of
   *  their own. */
  readonly adopt?: (session: {
    readonly sessionId: string;
    readonly cwd: string;
  }) => Pick<SessionMeta, 'taskQueue' | 'fingerprint'>;
}

/** Conversations in files: transcripts where Claude Code keeps them, everything else in the home folder.
 *  Fails: StoreError `io` when the folders cannot be made. */
export function createFileStore(options: FileStoreOptions): TranscriptStore {
  try {
    disk.mkdirSync(options.home, { recursive: true, mode: 0o700 });
    disk.mkdirSync(options.projectsFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toStoreError(error, 'create the folders of the store', options.home);
  }
  return new FileStore(disk.realpathSync(options.projectsFolder), options);
}

class FileStore implements TranscriptStore {
  private readonly sessions = new Map<string, FileSession>();
  readonly pauses: FilePauses;
  private readonly sessionsFolder: string;
  private readonly timer = setInterval(() => void this.restIdle(), REST_MS).unref();

  constructor(
    readonly place: string,
    private readonly options: FileStoreOptions,
  ) {
    this.sessionsFolder = join(options.home, 'sessions');
    this.pauses = new FilePauses(join(options.home, 'pauses'));
  }

  async createSession(meta: SessionMeta): Promise<SessionStore> {
    const folder = this.folderOf(requireFileName(meta.sessionId));
    // Refused here, before the message is accepted: later, only a waiting query would tell.
    if (meta.persistent)
      await requireRoom(dirname(transcriptPath(this.place, meta.cwd, meta.sessionId)));
    if (meta.persistent) await this.forgetLost(meta.sessionId);
    const isTaken = findTranscript(this.place, meta.sessionId) !== undefined;
    if (isTaken || !(await folder.create(meta))) {
      throw new StoreError(
        'session_exists',
        `Session ${meta.sessionId} exists in ${this.place}. Resume it, or choose another id.`,
      );
    }
    return this.keep(meta);
  }

  async openSession(sessionId: string): Promise<SessionStore | undefined> {
    if (!isFileName(sessionId)) return undefined;
    const known = this.sessions.get(sessionId);
    if (known !== undefined && this.isThere(known)) return known;
    this.sessions.delete(sessionId);
    const meta = await readMeta(this.folderOf(sessionId).meta);
    if (meta !== undefined) return this.keep(meta);
    const path = findTranscript(this.place, sessionId);
    return path === undefined ? undefined : this.adopt(sessionId, path);
  }

  async listSessions(): Promise<readonly SessionMeta[]> {
    const prefix = `${storeHash(this.place)}-`;
    if (!disk.existsSync(this.sessionsFolder)) return [];
    const names = disk.readdirSync(this.sessionsFolder).filter((name) => name.startsWith(prefix));
    const metas = await Promise.all(
      names.map((name) => readMeta(new SessionFolder(join(this.sessionsFolder, name)).meta)),
    );
    return metas.flatMap((meta) => meta ?? []);
  }

  async listRecorded(): Promise<readonly SessionMeta[]> {
    const recorded = listTranscripts(this.place).filter(
      ({ sessionId }) => !disk.existsSync(this.folderOf(sessionId).meta),
    );
    const metas = await Promise.all(
      // One that cannot be resumed is not listed.
      recorded.map(({ sessionId, path }) => this.derive(sessionId, path).catch(() => [])),
    );
    return metas.flat();
  }

  async newestSession(cwd: string): Promise<SessionStore | undefined> {
    const own = (await this.listSessions()).filter((meta) => meta.persistent && meta.cwd === cwd);
    const written = new Map(
      listTranscripts(this.place, cwd).map(({ sessionId, mtimeMs }) => [sessionId, mtimeMs]),
    );
    for (const { sessionId, createdAt } of own) {
      if (!written.has(sessionId)) written.set(sessionId, Date.parse(createdAt));
    }
    for (const [sessionId] of [...written].sort(([, a], [, b]) => b - a)) {
      const session = await this.openSession(sessionId).catch(unlessDamaged);
      // Two folders may have one key.
      if (session?.meta.cwd === cwd) return session;
    }
    return undefined;
  }

  claimDay(work: string, day: string): Promise<boolean> {
    return claimDay(join(this.options.home, 'claims'), `${storeHash(this.place)}-${work}`, day);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.sessions.values()].map((session) => session.rest()));
    this.sessions.clear();
  }

  private async adopt(sessionId: string, path: string): Promise<SessionStore> {
    return this.keep(await this.derive(sessionId, path), path);
  }

  /** Fails: StoreError `damaged` when the transcript does not say where it belongs. */
  private async derive(sessionId: string, path: string): Promise<SessionMeta> {
    const derived = await metaFromTranscript(path);
    const serving = this.options.adopt?.({ sessionId, cwd: derived.cwd }) ?? {
      taskQueue: sessionWorkflowId(this.place, sessionId),
      fingerprint: { baseUrl: 'https://api.anthropic.com', credentials: 'api_key' },
    };
    return { sessionId, ...derived, ...serving, persistent: true };
  }

  /** A session whose transcript somebody has deleted is gone: what we kept beside it must not take its id. */
  private async forgetLost(sessionId: string): Promise<void> {
    const folder = this.folderOf(sessionId);
    const meta = await readMeta(folder.meta);
    // One that has not begun has no transcript yet, and no log either.
    if (meta === undefined || !meta.persistent || !disk.existsSync(folder.log)) return;
    if (findTranscript(this.place, sessionId) !== undefined) return;
    const lost = this.keep(meta);
    if ((await lost.currentLease()) === undefined) await lost.delete();
  }

  /** One instance a session, whoever opens it: it keeps the order of writes. */
  private keep(meta: SessionMeta, path?: string): FileSession {
    const { sessionId } = meta;
    const known = this.sessions.get(sessionId);
    if (known !== undefined) return known;
    const folder = this.folderOf(sessionId);
    const session = new FileSession(meta, {
      folder,
      transcriptPath: path ?? this.transcriptOf(meta, folder),
      onDelete: () => this.sessions.delete(sessionId),
    });
    this.sessions.set(sessionId, session);
    return session;
  }

  private transcriptOf(meta: SessionMeta, folder: SessionFolder): string {
    if (!meta.persistent) return folder.transcript;
    return (
      findTranscript(this.place, meta.sessionId) ??
      transcriptPath(this.place, meta.cwd, meta.sessionId)
    );
  }

  private folderOf(sessionId: string): SessionFolder {
    return new SessionFolder(join(this.sessionsFolder, sessionWorkflowId(this.place, sessionId)));
  }

  private isThere(session: FileSession): boolean {
    return (
      disk.existsSync(this.folderOf(session.meta.sessionId).meta) ||
      disk.existsSync(session.transcriptPath)
    );
  }

  private async restIdle(): Promise<void> {
    for (const session of this.sessions.values()) await session.restIfIdle();
  }
}

function unlessDamaged(error: unknown): undefined {
  if (error instanceof StoreError && error.code === 'damaged') return undefined;
  throw error;
}
