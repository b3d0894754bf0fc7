import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, type Parts } from './cluster';
import { MARK } from './leftovers';
import { parseOptions, USAGE, type Options } from './options';
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
  const cluster = new Cluster({ folder, ports: options.ports, environment: process.env, log });
  try {
    const parts = await Promise.race([cluster.up, stopped]);
    return parts === null ? 130 : await use(parts, folder, options, stopped);
  } finally {
    log('ending ...');
    await cluster.close();
    if (options.folder === null) rmSync(folder, { recursive: true, force: true });
  }
}

async function use(
  cluster: Parts,
  folder: string,
  { run }: Options,
  stopped: Promise<null>,
): Promise<number> {
  let isEnding = false;
  const lost = cluster.lost.then((sentence) => {
    // At the end all of them are.
    if (!isEnding) log(`${sentence}. Logs: ${join(folder, 'logs')}`);
    return 1;
  });
  const unlessLost = (used: Promise<number>): Promise<number> =>
    Promise.race([lost, used]).finally(() => (isEnding = true));
  if (run !== null) {
    return unlessLost(Promise.race([stopped.then(() => 130), runShell(run, folder, cluster)]));
  }
  const exports = Object.entries(cluster.variables).map(([name, value]) => `${name}='${value}'`);
  process.stdout.write(`export ${exports.join(' ')}\n`);
  log('The line above, in a shell, makes everloop work with this cluster. Ctrl-C ends it.');
  return unlessLost(stopped.then(() => 0));
}

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
