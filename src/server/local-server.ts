import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { requireCli, type CliSearch } from './find-cli';
import { serverArguments } from './server-command';
import { ServerError } from './server-error';
import { isServing } from './server-health';
import { withServerLock } from './server-lock';
import { chooseServerPorts, type ServerPorts, type WantedPorts } from './server-ports';
import { endProcess, isServerProcess, startProcess, type StartedProcess } from './server-process';
import {
  readServerRecord,
  removeServerRecord,
  serverFolder,
  serverLogFile,
  writeServerRecord,
  type ServerRecord,
} from './server-record';
import type { TemporalCli } from './temporal-cli';

export interface ServerAddress {
  /** `127.0.0.1:<port>`, for a Temporal connection. */
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
}

export interface ServerOptions {
  /** The home folder; one server runs for each. */
  readonly home: string;
  readonly cli: CliSearch;
  /** Ports of a server that has to be started; one that runs keeps its own. */
  readonly ports?: WantedPorts;
  /** Search attributes to register at the start: name to type (Keyword, KeywordList, Int, Double, Bool, Datetime, Text). */
  readonly searchAttributes?: Readonly<Record<string, string>>;
}

export type ServerStatus =
  | { readonly running: false }
  | (ServerAddress & {
      readonly running: true;
      /** False while it starts, or when it hangs: the process is there and does not answer. */
      readonly serving: boolean;
      readonly startedAt: string;
      readonly cliVersion: string;
      readonly database: string;
      readonly logFile: string;
    });

const NAMESPACE = 'default';
const CHECK_TIMEOUT_MS = 2_000;
const START_PATIENCE_MS = 60_000;
const POLL_MS = 50;
/** Between our look at the ports and the server's own, another program may take one. */
const PORT_ATTEMPTS = 3;

/** Finds this home's server, or starts it; resolves when it answers and has the namespace `default`.
 *  The server is detached: it outlives this process, and the next command finds it again. Any number of processes may call this at once.
 *  Fails: ServerError cli_not_found, port_taken, start_failed, lock_busy; all final, their messages name the cure.
 */
export async function ensureServer(options: ServerOptions): Promise<ServerAddress> {
  const { home } = options;
  const found = await findServer(home);
  if (found) return found;

  await createPrivateFolders(home);
  return withServerLock(serverFolder(home), async () => {
    const previous = readServerRecord(home);
    if (previous && (await isServerProcess(previous.pid, previous.database))) {
      // Started by somebody who was quicker, or who died before it answered.
      return await whenServing(previous, home);
    }
    const cli = await requireCli(options.cli);
    return await startServer(options, cli, previous);
  });
}

/** This home's server if it runs and answers, else undefined. Costs some milliseconds. */
export async function findServer(home: string): Promise<ServerAddress | undefined> {
  const record = readServerRecord(home);
  if (!record || !(await isServerProcess(record.pid, record.database))) return undefined;
  const serving = await isServing(record.address, NAMESPACE, CHECK_TIMEOUT_MS);
  return serving ? addressOf(record) : undefined;
}

/** What runs for this home, also when it does not answer. */
export async function serverStatus(home: string): Promise<ServerStatus> {
  const record = readServerRecord(home);
  if (!record || !(await isServerProcess(record.pid, record.database))) return { running: false };
  return {
    running: true,
    serving: await isServing(record.address, NAMESPACE, CHECK_TIMEOUT_MS),
    ...addressOf(record),
    startedAt: record.startedAt,
    cliVersion: record.cliVersion,
    database: record.database,
    logFile: serverLogFile(home),
  };
}

/** Stops this home's server: SIGTERM, after 10 s SIGKILL. Resolves to false when none ran.
 *  A stranger that has got the pid of a server long gone is left alone.
 *  Fails: ServerError stop_failed, lock_busy.
 */
export async function stopServer(home: string): Promise<boolean> {
  if (!(await stat(serverFolder(home)).catch(() => undefined))) return false;
  return withServerLock(serverFolder(home), async () => {
    const record = readServerRecord(home);
    if (!record) return false;
    const wasRunning = await isServerProcess(record.pid, record.database);
    if (wasRunning) await endProcess(record.pid, record.database);
    await removeServerRecord(home);
    return wasRunning;
  });
}

async function startServer(
  options: ServerOptions,
  cli: TemporalCli,
  previous: ServerRecord | undefined,
): Promise<ServerAddress> {
  const { home, ports: wanted = {}, searchAttributes = {} } = options;
  // The dev server creates its tables once and never migrates them: another version would read a layout that it
  // does not know. So each server version has a database of its own, and sessions are rebuilt from the store.
  const database = join(serverFolder(home), `temporal-${cli.serverVersion}.db`);

  for (let attempt = 1; ; attempt += 1) {
    const ports = await chooseServerPorts(wanted, previous?.ports);
    const args = serverArguments(database, ports, searchAttributes);
    const started = startProcess(cli.path, args, serverLogFile(home));
    const record = recordOf(started.pid, cli, database, ports);
    writeServerRecord(home, record);

    const failure = await firstAnswer(record, started);
    if (failure === undefined) return addressOf(record);

    await endProcess(started.pid, database);
    await removeServerRecord(home);
    const log = started.lastLogLines();
    if (log.includes('address already in use') && attempt < PORT_ATTEMPTS) continue;
    throw new ServerError(
      'start_failed',
      `The local Temporal server (${cli.path}, version ${cli.version}) ${failure}. Its log, ` +
        `${serverLogFile(home)}, ends:\n${log}\nMend what it names, then try again; to use ` +
        'another server, set TEMPORAL_ADDRESS.',
    );
  }
}

/** Undefined when the server answers, else what went wrong. */
async function firstAnswer(
  record: ServerRecord,
  started: StartedProcess,
): Promise<string | undefined> {
  const noLonger = new AbortController();
  try {
    return await Promise.race([
      started.ended.then((how) => `ended while it started (${how})`),
      untilServing(record.address, noLonger.signal).then((serving) =>
        serving ? undefined : `did not answer within ${START_PATIENCE_MS / 1000} s`,
      ),
    ]);
  } finally {
    noLonger.abort();
  }
}

async function whenServing(record: ServerRecord, home: string): Promise<ServerAddress> {
  if (await untilServing(record.address)) return addressOf(record);
  throw new ServerError(
    'start_failed',
    `The local Temporal server (process ${record.pid}) runs but has not answered at ${record.address} for ` +
      `${START_PATIENCE_MS / 1000} s. Stop it (everloop server stop), then try again. Its log: ${serverLogFile(home)}.`,
  );
}

async function untilServing(address: string, signal?: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + START_PATIENCE_MS;
  while (Date.now() < deadline && signal?.aborted !== true) {
    if (await isServing(address, NAMESPACE, CHECK_TIMEOUT_MS)) return true;
    await delay(POLL_MS);
  }
  return false;
}

function recordOf(
  pid: number,
  cli: TemporalCli,
  database: string,
  ports: ServerPorts,
): ServerRecord {
  return {
    address: `127.0.0.1:${ports.frontend}`,
    uiUrl: `http://127.0.0.1:${ports.ui}`,
    pid,
    startedAt: new Date().toISOString(),
    cliVersion: cli.version,
    database,
    ports: { frontend: ports.frontend, ui: ports.ui },
  };
}

function addressOf({ address, uiUrl, pid }: ServerRecord): ServerAddress {
  return { address, uiUrl, pid };
}

/** A home that was there already keeps its mode, which is its owner's choice; what the server writes is private in any case. */
async function createPrivateFolders(home: string): Promise<void> {
  await mkdir(serverFolder(home), { recursive: true, mode: 0o700 });
  await chmod(serverFolder(home), 0o700);
}
