import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCrashScript } from '../src/crash-test/crash-script';
import { scriptedConversations } from '../src/crash-test/scripted-conversations';
import { startScriptedModel, type ScriptedModel } from '../src/scripted-model/scripted-model';
import { checkCluster } from './check';
import { Cluster, type Parts } from './cluster';
import { measureFairness } from './fairness';
import { loadCluster } from './load-cluster';
import { MARK } from './leftovers';
import { checkLosses } from './losses/losses';
import { parseOptions, USAGE, type Options } from './options';
import { scanCluster } from './scan/scan';
import { conversations } from './scan/scan-script';
import { ROOT } from './shape';

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Resolves when people want it to end. */
type Stopped = Promise<null>;

/** Postgres, the real Temporal server and two Workers, without containers: until Ctrl-C, or for one command. */
async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  const stopped = new Promise<null>((resolve) => {
    // A second Ctrl-C is not needed: the way out is bounded.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve(null));
    }
  });
  const folder = options.folder ?? mkdtempSync(join(realpathSync(tmpdir()), 'everloop-cluster-'));
  mkdirSync(folder, { recursive: true });
  // Clusters lie in it or in folders of it: the account that runs Postgres passes through.
  chmodSync(folder, 0o711);
  try {
    return await inFolder(folder, options, stopped);
  } finally {
    if (options.folder === null) rmSync(folder, { recursive: true, force: true });
  }
}

async function inFolder(folder: string, options: Options, stopped: Stopped): Promise<number> {
  switch (options.mode) {
    case 'scan':
      return scan(folder, options, stopped);
    case 'fairness':
    case 'load':
      return measure(folder, options, stopped);
    case 'run':
    case null:
      return withCluster({ folder, environment: process.env, options, model: null, stopped });
    case 'check':
    case 'kills': {
      const model = await startModel(await loadCrashScript(join(__dirname, 'check-script.json')));
      const environment = { ...process.env, ...variablesOf(model) };
      const used = { folder, environment, options, model, stopped };
      return withCluster(used).finally(() => model.close());
    }
  }
}

/** Clusters of its own, one after the other. */
async function scan(folder: string, { ports }: Options, stopped: Stopped): Promise<number> {
  const model = await startModel({ conversations });
  const environment = { ...process.env, ...variablesOf(model) };
  try {
    return (await scanCluster({ folder, ports, environment, log, print, stopped })) === 0 ? 0 : 1;
  } finally {
    await model.close();
  }
}

/** Brings clusters up as it needs them. */
async function measure(folder: string, options: Options, stopped: Stopped): Promise<number> {
  const stop = new AbortController();
  void stopped.then(() => stop.abort(new Error('It was stopped before it had all figures.')));
  const { ports, json, mode } = options;
  const of = { folder, ports, environment: process.env, log, print, signal: stop.signal };
  const measuring = mode === 'fairness' ? measureFairness : loadCluster;
  const figures = await measuring({ ...options, ...of });
  if (json !== null) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  return 0;
}

interface Used {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly options: Options;
  /** null: Workers have the one that the environment names. */
  readonly model: ScriptedModel | null;
  readonly stopped: Stopped;
}

async function withCluster(used: Used): Promise<number> {
  const { folder, environment, options, stopped } = used;
  const cluster = new Cluster({ folder, ports: options.ports, environment, log });
  try {
    const parts = await Promise.race([cluster.up, stopped]);
    return parts === null ? 130 : await use(parts, used);
  } finally {
    log('ending ...');
    await cluster.close();
  }
}

async function use(cluster: Parts, used: Used): Promise<number> {
  const { folder, environment, options, model, stopped } = used;
  let isEnding = false;
  const lost = cluster.lost.then((sentence) => {
    // At the end all of them are.
    if (!isEnding) log(`${sentence}. Logs: ${join(folder, 'logs')}`);
    return 1;
  });
  const unlessLost = (work: Promise<number>): Promise<number> =>
    Promise.race([lost, work]).finally(() => (isEnding = true));

  const unlessStopped = (work: Promise<number>): Promise<number> =>
    unlessLost(Promise.race([stopped.then(() => 130), work]));
  const checked = (failed: Promise<number>): Promise<number> =>
    unlessStopped(failed.then((count) => (count === 0 ? 0 : 1)));

  const { mode, command, turns } = options;
  if (mode === 'run') return unlessStopped(runShell(command, folder, cluster));
  if (mode === 'check') {
    return checked(checkCluster(cluster, { folder, turns, environment, print }));
  }
  if (model !== null) {
    return checked(checkLosses({ cluster, folder, model, environment }, print));
  }
  const exports = Object.entries(cluster.variables).map(([name, value]) => `${name}='${value}'`);
  process.stdout.write(`export ${exports.join(' ')}\n`);
  log('The line above, in a shell, makes everloop work with this cluster. Ctrl-C ends it.');
  return unlessLost(stopped.then(() => 0));
}

/** For checks: replies that were written beforehand. */
async function startModel(
  script: Parameters<typeof scriptedConversations>[0],
): Promise<ScriptedModel> {
  return startScriptedModel({ ...scriptedConversations(script), keepBodies: false });
}

const variablesOf = ({ url }: ScriptedModel) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'scripted',
});

async function runShell(command: string, folder: string, { variables }: Parts): Promise<number> {
  const path = [join(ROOT, 'bin'), process.env['PATH'] ?? ''].join(':');
  const shell = spawn('/bin/sh', ['-c', command], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path, [MARK]: folder, ...variables },
  });
  const [code] = (await once(shell, 'exit')) as [number | null];
  return code ?? 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    log(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(1);
  },
);
