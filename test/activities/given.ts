import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAnthropic } from '../../src/activities/call-model/anthropic-client';
import type { ActivityDeps } from '../../src/activities/deps';
import { createServedSessions, type ServedSession } from '../../src/activities/served-sessions';
import { createSurroundings } from '../../src/activity-surroundings';
import { Secret } from '../../src/config';
import type { Pending } from '../../src/loop/context';
import { queryWorkflowId } from '../../src/loop/workflow-id';
import type { Reply } from '../../src/scripted-model/reply';
import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../src/scripted-model/scripted-model';
import { builtInTools } from '../../src/tools/built-in-tools';
import { createFileStore } from '../../src/transcript/files/file-store';
import type { InboxMessage, RunOptions } from '../../src/transcript/message';
import { sessionWorkflowId } from '../../src/transcript/place';
import type { TranscriptRecord } from '../../src/transcript/record';
import type { LogEntry } from '../../src/transcript/session-log';
import { RUN_OPTIONS } from '../support/fake-surroundings';
import { FakeAttempt } from './fake-attempt';

/** One that the API's client has no warning about. */
export const MODEL = 'claude-opus-4-5';

/** A session in a temporary folder, a model that says what the script says, and Workers that serve them. */
export interface Given {
  readonly model: ScriptedModel;
  readonly sessionId: string;
  readonly sessionWorkflowId: string;
  /** The session's folder, links resolved. */
  readonly workspace: string;
  /** A Worker with its own store; it takes the session over from the one before it. */
  worker(changes?: Partial<ActivityDeps>): GivenWorker;
  close(): Promise<void>;
}

export interface GivenWorker {
  readonly deps: ActivityDeps;
  session(): Promise<ServedSession>;
  /** Puts a message into the inbox, as a client does. */
  say(content: InboxMessage['content'], options?: Partial<RunOptions>): Promise<Said>;
  /** What observers of the session were told so far. */
  log(): Promise<readonly LogEntry[]>;
  /** The lines of the transcript as they are on disk. */
  transcript(): Promise<readonly TranscriptRecord[]>;
}

export interface Said {
  readonly id: string;
  readonly pending: Pending;
  /** The first attempt of an Activity of the query that answers the message. */
  attempt(activityId?: string): FakeAttempt;
}

export interface GivenOptions extends Omit<ScriptedModelOptions, 'script'> {
  readonly script?: readonly Reply[];
}

export async function given(options: GivenOptions = {}): Promise<Given> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'everloop-activities-')));
  const at = (name: string): string => path.join(root, name);
  const workspace = at('workspace');
  await mkdir(workspace);
  const model = await startScriptedModel({
    isStrict: true,
    ...options,
    script: options.script ?? [],
  });
  const openStore = () => createFileStore({ home: at('home'), projectsFolder: at('projects') });
  const sessionId = randomUUID();
  const first = openStore();
  await first.createSession({
    sessionId,
    cwd: workspace,
    taskQueue: 'queue',
    createdAt: new Date().toISOString(),
    fingerprint: { baseUrl: model.url, credentials: 'api_key' },
    persistent: true,
  });
  const workflowId = sessionWorkflowId(first.place, sessionId);
  const stores = [first];

  const worker = (changes: Partial<ActivityDeps> = {}): GivenWorker => {
    const store = openStore();
    stores.push(store);
    const owner = { workerId: randomUUID(), host: 'localhost', socket: '/none' };
    const sessions = createServedSessions({ store, owner, isAlive: async () => false });
    const session = () => sessions.serve(workflowId);
    const deps: ActivityDeps = {
      sessions,
      anthropic: createAnthropic({
        baseUrl: model.url,
        apiKey: new Secret('key'),
        authToken: null,
        apiTimeoutMs: 60_000,
      }),
      apiKeySource: 'ANTHROPIC_API_KEY',
      tools: builtInTools({ environment: { PATH: process.env['PATH'] } }),
      surroundings: createSurroundings(
        { configDir: at('config'), userHome: at('user'), home: at('home') },
        {},
        { PATH: process.env['PATH'] },
      ),
      context: { percentOverride: null, autoCompactWindow: null },
      maxRetries: 10,
      maxOutputTokens: 32_000,
      isOutputChosen: false,
      version: '1.2.3',
      now: () => new Date(),
      random: () => 0.5,
      ...changes,
    };
    return {
      deps,
      session,
      async say(content, runOptions = {}) {
        const id = randomUUID();
        const { store: of } = await session();
        const runId = randomUUID();
        const submittedAt = new Date().toISOString();
        await of.putMessage({
          id,
          content,
          submittedAt,
          options: { ...RUN_OPTIONS, model: MODEL, ...runOptions },
        });
        return {
          id,
          pending: { type: 'message', messageId: id },
          attempt: (activityId = '1') =>
            new FakeAttempt({
              workflowId: queryWorkflowId(workflowId, id),
              runId,
              activityId,
              number: 1,
            }),
        };
      },
      log: async () => readLog((await session()).store),
      transcript: async () => readTranscript((await session()).store.transcriptPath),
    };
  };

  return {
    model,
    sessionId,
    sessionWorkflowId: workflowId,
    workspace,
    worker,
    async close() {
      await model.close();
      await Promise.all(stores.map((store) => store.close()));
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function readLog({ log }: ServedSession['store']): Promise<readonly LogEntry[]> {
  const end = await log.end();
  const enough = new AbortController();
  const entries: LogEntry[] = [];
  for await (const { entry, cursor } of log.follow(null, enough.signal)) {
    entries.push(entry);
    if (cursor === end) break;
  }
  return entries;
}

export async function readTranscript(file: string): Promise<readonly TranscriptRecord[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as TranscriptRecord);
}
