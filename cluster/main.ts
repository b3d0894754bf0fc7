import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCrashScript } from '../src/crash-test/crash-script';
import { scriptedConversations } from '../src/crash-test/scripted-conversations';
import { startScriptedModel, type ScriptedModel } from '../src/scripted-model/scripted-model';
import { checkCluster } from './check';
import { Cluster, type Parts } from './cluster';
import { MARK } from './leftovers';
import { checkLosses } from './losses/losses';
import { parseOptions, USAGE, type Options } from './options';
import { scanCluster } from './scan/scan';
import { conversations } from './scan/scan-script';
import { ROOT } from './shape';

const log = (line: string): void => void process.stderr.write(`${line}\n`);

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
  if (options.scan) return scan({ folder, options, stopped });
  const model = options.check || options.kills ? await startModel(await checkScript()) : null;
  const environment = { ...process.env, ...(model && variablesOf(model)) };
  const cluster = new Cluster({ folder, ports: options.ports, environment, log });
  try {
    const parts = await Promise.race([cluster.up, stopped]);
    return parts === null
      ? 130
      : await use(parts, { folder, environment, options, model, stopped });
  } finally {
    log('ending ...');
    await cluster.close();
    await model?.close();
    if (options.folder === null) rmSync(folder, { recursive: true, force: true });
  }
}

/** Clusters of its own, one after the other. */
async function scan({
  folder,
  options,
  stopped,
}: Pick<Used, 'folder' | 'options' | 'stopped'>): Promise<number> {
  const model = await startModel({ conversations });
  const environment = { ...process.env, ...variablesOf(model) };
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const { ports } = options;
    return (await scanCluster({ folder, ports, environment, log, print, stopped })) === 0 ? 0 : 1;
  } finally {
    await model.close();
    if (options.folder === null) rmSync(folder, { recursive: true, force: true });
  }
}

interface Used {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly options: Options;
  /** null: Workers have the one that the environment names. */
  readonly model: ScriptedModel | null;
  readonly stopped: Promise<null>;
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

  if (options.run !== null) {
    const shell = runShell(options.run, folder, cluster);
    return unlessLost(Promise.race([stopped.then(() => 130), shell]));
  }
  if (options.check) {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const { turns } = options;
    const checking = checkCluster(cluster, { folder, turns, environment, print });
    const failed = checking.then((count) => (count === 0 ? 0 : 1));
    return unlessLost(Promise.race([stopped.then(() => 130), failed]));
  }
  if (options.kills && model !== null) {
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const checking = checkLosses({ cluster, folder, model, environment }, print);
    const failed = checking.then((count) => (count === 0 ? 0 : 1));
    return unlessLost(Promise.race([stopped.then(() => 130), failed]));
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

const checkScript = () => loadCrashScript(join(__dirname, 'check-script.json'));

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
