import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultRunOptions } from '../cli/run-options';
import { createSessionHost, type Connected, type SessionHost } from '../cli/session-host';
import { readVersion } from '../cli/version';
import { loadConfig } from '../config';
import { requireCli } from '../server/find-cli';
import { ensureServer, stopServer } from '../server/local-server';
import type { RunOptions } from '../transcript/message';
import { BenchProcess } from './bench-process';
import { ModelProcess } from './model/model-process';

/** What is measured against: a home folder of its own with its own Temporal server, or the one that TEMPORAL_ADDRESS
 *  names, and the model. */
export interface Rig {
  readonly home: string;
  /** Working folder of all sessions. */
  readonly project: string;
  readonly host: SessionHost;
  readonly connected: Connected;
  readonly model: ModelProcess;
  /** null: the server is not ours. */
  readonly serverPid: number | null;
  readonly serverAddress: string;
  /** Version of the Temporal command line. */
  readonly cliVersion: string;
  readonly runOptions: RunOptions;
  /** Starts `everloop ARGS` in the project folder. */
  everloop(...args: readonly string[]): BenchProcess;
  log(line: string): void;
  /** Ends every process that was started and removes the home folder. */
  close(): Promise<void>;
}

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');

export async function startRig(
  environment: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): Promise<Rig> {
  // The binary may come from the user's own cache; nothing else of theirs takes part.
  const own = loadConfig(environment, homedir());
  const cli = {
    configured: own.temporalCli,
    env: environment,
    cacheFolder: join(own.home, 'cache', 'temporal'),
    onProgress: log,
  };
  const found = await requireCli(cli);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-bench-')));
  const project = join(home, 'project');
  mkdirSync(project);
  const model = await ModelProcess.start();
  const env = {
    PATH: environment['PATH'],
    HOME: home,
    EVERLOOP_HOME: home,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'bench',
    ...elsewhere(environment),
  };
  const config = loadConfig(env, home);
  const server = config.hasTemporalAddress
    ? { address: environment['TEMPORAL_ADDRESS'] ?? '', pid: null }
    : await ensureServer({ home, cli, ports: { frontend: 0, ui: 0 } });
  const host = createSessionHost({
    config,
    settings: { cli: null },
    version: readVersion(),
    cli,
    environment: env,
  });
  const connected = await host.connect();
  const processes = new Set<BenchProcess>();

  return {
    home,
    project,
    host,
    connected,
    model,
    serverPid: server.pid,
    serverAddress: server.address,
    cliVersion: found.version,
    runOptions: defaultRunOptions(config, {
      model: null,
      defaultMode: 'bypassPermissions',
      additionalDirectories: [],
      autoCompact: true,
    }),
    everloop(...args) {
      const started = BenchProcess.spawn(LAUNCHER, args, { cwd: project, env });
      processes.add(started);
      void started.ended.then(() => processes.delete(started));
      return started;
    },
    log,
    async close() {
      await Promise.all([...processes].map((running) => running.kill()));
      await connected.close();
      await host.store.close();
      model.close();
      await stopServer(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A server and a store that are not the rig's own. */
function elsewhere(environment: Readonly<Record<string, string | undefined>>) {
  const names = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'EVERLOOP_STORE', 'PGPASSWORD'];
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}
