import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { loadConfig } from '../src/config';
import { requireCli } from '../src/server/find-cli';
import { isServing } from '../src/server/server-health';
import { ClusterWorker } from './cluster-worker';
import { endLeftovers, MARK } from './leftovers';
import { freePorts, innerPorts, type WantedPorts } from './ports';
import { readShape, ROOT, versionOf, withChanges, type Shape } from './shape';
import { toNative, type Service } from './compose-file';
import { startPostgres } from './start-postgres';
import { Supervised } from './supervised';
import { requireTemporal } from './temporal-programs';
import { homeVariables, modelVariables } from './worker-variables';

export interface ClusterOptions {
  /** Where everything lies; one that is there is taken up again. */
  readonly folder: string;
  readonly ports: WantedPorts;
  /** Of whoever starts it: Workers get what reaches the model from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** Settings of the Temporal server. Absent: those of docker-compose.yml. */
  readonly dynamicConfigFile?: string;
  /** Of Workers, beside what docker-compose.yml gives them. Absent: none. */
  readonly workerVariables?: Readonly<Record<string, string>>;
}

/** A cluster that is up. */
export interface Parts {
  /** What a command needs to work with it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly pids: Readonly<Record<string, number>>;
  readonly workers: readonly ClusterWorker[];
  /** One more, as the others but for the files that it works with. Resolves when it is ready. */
  readonly addWorker: (host: string, workspace: string) => Promise<ClusterWorker>;
  /** Resolves, with a sentence, when a part of it has ended that should not have. */
  readonly lost: Promise<string>;
}

const STARTS_WITHIN_MS = 120_000;
/** A Worker waits 10 s for what runs, the server for as long for its shards. */
const STOPS_WITHIN_MS = 15_000;

/** Brings up natively what docker-compose.yml describes, part by part. */
export class Cluster {
  /** Fails: Error that names the part and shows its log. */
  readonly up: Promise<Parts>;
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #closing = new AbortController();

  constructor(private readonly options: ClusterOptions) {
    this.up = bringUp(options, this.#closing.signal, (end) => this.#ends.push(end));
    this.up.catch(() => undefined);
  }

  /** Ends every process, within some seconds each, also while they start. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (;;) {
      // What starts at this moment is there when its start has failed.
      for (const end of this.#ends.splice(0).reverse()) await end();
      await this.up.catch(() => undefined);
      if (this.#ends.length === 0) break;
    }
    await endLeftovers(this.options.folder);
  }
}

async function bringUp(
  { folder, ports, environment, log, dynamicConfigFile, workerVariables }: ClusterOptions,
  closing: AbortSignal,
  onStarted: (end: () => Promise<unknown>) => void,
): Promise<Parts> {
  for (const each of [folder, join(folder, 'logs')]) mkdirSync(each, { recursive: true });
  // The account that runs Postgres passes through; what lies here is closed to it one by one.
  chmodSync(folder, 0o711);
  const shape = readShape(folder);
  const { HOME = homedir(), PATH = '' } = environment;
  const own = loadConfig(environment, HOME);
  const cli = await requireCli({
    configured: own.temporalCli,
    env: environment,
    cacheFolder: join(own.home, 'cache', 'temporal'),
    onProgress: log,
  });
  const programs = await requireTemporal(versionOf(shape.temporal), {
    env: environment,
    closing,
    onProgress: log,
  });
  const path = [programs.folder, dirname(cli.path), dirname(process.execPath), PATH];
  const base = { PATH: path.join(delimiter), [MARK]: folder };
  const start = (
    service: Service,
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Supervised => {
    closing.throwIfAborted();
    const process = Supervised.start({
      name: service.name,
      command,
      env: { HOME: folder, ...base, ...env },
      cwd: folder,
      logFile: join(folder, 'logs', `${service.name}.log`),
    });
    onStarted(() => process.stop(STOPS_WITHIN_MS));
    return process;
  };
  const [anyPostgres = 0, anyTemporal = 0, metrics = 0] = await freePorts(3);
  const postgresPort = ports.postgres ?? anyPostgres;
  const temporalPort = ports.temporal ?? anyTemporal;

  const timed = stopwatch(log);
  const postgres = await startPostgres(shape, postgresPort);
  onStarted(() => postgres.end());
  timed(`postgres listens at 127.0.0.1:${postgresPort}`);

  const schema = withChanges(shape.schema, {
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(postgresPort),
    SCHEMA_FOLDER: programs.schemaFolder,
  });
  await start(shape.schema, commandOf(shape.schema), schema).succeed(STARTS_WITHIN_MS);
  timed('schema is up to date');

  const address = `127.0.0.1:${temporalPort}`;
  const temporal = start(shape.temporal, ['temporal-server', 'start'], {
    ...withChanges(shape.temporal, {
      POSTGRES_SEEDS: '127.0.0.1',
      DB_PORT: String(postgresPort),
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH:
        dynamicConfigFile ??
        toNative(shape.temporal, shape.temporal.environment['DYNAMIC_CONFIG_FILE_PATH'] ?? ''),
      PROMETHEUS_ENDPOINT: `127.0.0.1:${metrics}`,
    }),
    FRONTEND_GRPC_PORT: String(temporalPort),
    ...(await innerPorts()),
  });
  await temporal.until(() => isServing(address, 'temporal-system', 2_000), STARTS_WITHIN_MS);
  timed(`temporal ${versionOf(shape.temporal)} listens at ${address}`);

  const namespace = withChanges(shape.namespace, { TEMPORAL_ADDRESS: address });
  await start(shape.namespace, commandOf(shape.namespace), namespace).succeed(STARTS_WITHIN_MS);
  timed('namespace and search attributes are registered');

  const variables = commandVariables(shape, address, postgresPort);
  const workerOf = (service: Service): ClusterWorker => {
    const home = join(folder, service.hostname);
    return new ClusterWorker(service.hostname, home, async () => {
      const timedAlone = stopwatch(log);
      const [health = 0, figures = 0] = await freePorts(2);
      const env = withChanges(service, {
        TEMPORAL_ADDRESS: address,
        EVERLOOP_STORE: variables['EVERLOOP_STORE'] ?? '',
        EVERLOOP_HEALTH: `127.0.0.1:${health}`,
        EVERLOOP_METRICS: `127.0.0.1:${figures}`,
      });
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const worker = start(service, [process.execPath, join(ROOT, 'bin/everloop'), 'worker'], {
        ...modelVariables(environment),
        ...env,
        ...workerVariables,
        HOME: home,
        ...homeVariables(home),
        // What `hostname` is to the container.
        EVERLOOP_HOST: service.hostname,
      });
      await worker.until(() => isReady(health), STARTS_WITHIN_MS);
      timedAlone(`${service.name} is ready: http://127.0.0.1:${health}/readyz, home ${home}`);
      return worker;
    });
  };
  const workers = shape.workers.map(workerOf);
  await Promise.all(workers.map((worker) => worker.start()));
  const watched = [{ name: 'temporal', ended: temporal.ended }, ...workers.map(namedByHost)];
  return {
    variables,
    pids: Object.fromEntries([
      ['postgres', postgres.pid],
      ['temporal', temporal.pid],
      ...workers.map(({ host, pid }) => [host, pid] as const),
    ]),
    workers,
    addWorker: async (host, workspace) => {
      const [like] = shape.workers;
      if (like === undefined) throw new Error('docker-compose.yml has no service worker-1.');
      const changes = { EVERLOOP_WORKSPACE: workspace };
      const environment = withChanges(like, changes);
      const worker = workerOf({ ...like, name: host, hostname: host, environment });
      await worker.start();
      return worker;
    },
    lost: Promise.race(watched.map(async ({ name, ended }) => `${name} ended: ${await ended}`)),
  };
}

const namedByHost = ({ host, ended }: ClusterWorker) => ({ name: host, ended });

const commandOf = (service: Service): readonly string[] =>
  service.command.map((word) => toNative(service, word));

/** As a command on the host of a compose project has them. */
function commandVariables(
  { workers: [worker], folder }: Shape,
  address: string,
  postgresPort: number,
): Readonly<Record<string, string>> {
  if (worker === undefined) throw new Error('docker-compose.yml has no service worker-1.');
  const {
    EVERLOOP_STORE: store = '',
    PGPASSWORD = '',
    TEMPORAL_NAMESPACE = '',
    EVERLOOP_WORKSPACE = '',
  } = worker.environment;
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE,
    EVERLOOP_STORE: store.replace('@postgres:5432/', `@127.0.0.1:${postgresPort}/`),
    PGPASSWORD,
    // Whose home it is: sessions that a command begins there are that Worker's.
    EVERLOOP_HOST: worker.hostname,
    EVERLOOP_WORKSPACE,
    ...homeVariables(join(folder, worker.hostname)),
  };
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Says how long each step took. */
function stopwatch(log: (line: string) => void): (line: string) => void {
  let before = performance.now();
  return (line) => {
    const now = performance.now();
    log(`${((now - before) / 1000).toFixed(1)} s: ${line}`);
    before = now;
  };
}
