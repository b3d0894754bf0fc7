import { spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A program that Bash started: where it lay, and its arguments. A name that Bash could not find has no folder. */
export interface StartedProgram {
  readonly file: string;
  readonly name: string;
  readonly args: readonly string[];
}

export interface LineRun {
  readonly started: readonly StartedProgram[];
  /** Names in the folder of the line that were not there before. */
  readonly written: readonly string[];
  /** true: it did not end of its own accord. */
  readonly isKilled: boolean;
}

/** A Bash that finds nothing but stubs. Each stub tells its own path and arguments through a pipe that everything
 *  a line starts inherits, so the line is over when the pipe ends. Run lines in any number side by side: each has
 *  a process group and a folder of its own. */
export interface RealShell {
  /** Where the stubs lie. */
  readonly programs: string;
  run(line: string): Promise<LineRun>;
  remove(): void;
}

/** Told by stubs that do nothing else. */
const PLAIN =
  'npm git node make cargo evil bad ls cat grep head wc echo_file find sudo doas watch ionice flock ssh'.split(
    ' ',
  );
/** Told, and then really run: what they start is what matters. */
const RUNNERS = 'env timeout nice nohup stdbuf setsid xargs sh bash dash chroot'.split(' ');
const SEPARATOR = '\x1f';
const END = '\x1e';
const TELL = `r="$0"; for a in "$@"; do r="$r${SEPARATOR}$a"; done; printf '%s${END}' "$r" >&9`;
const NOT_FOUND = `() { local r="$1" a; shift; for a in "$@"; do r="$r${SEPARATOR}$a"; done; printf '%s${END}' "$r" >&9; return 127; }`;
/** Number of the pipe. */
const TOLD_TO = 9;
const LIMIT_MS = 20_000;
/** What lies in the folder of every line. */
const FILES = ['a', 'b.txt', '-x', 'npm', 'sub'];

export function createRealShell(): RealShell {
  const root = mkdtempSync(path.join(tmpdir(), 'everloop-shell-'));
  const programs = path.join(root, 'programs');
  mkdirSync(programs);
  const write = (name: string, script: string): void => {
    const file = path.join(programs, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
  for (const name of PLAIN) write(name, TELL);
  for (const name of RUNNERS) {
    const real = findProgram(name);
    if (real !== undefined) write(name, `${TELL}\nexec ${real} "$@"`);
  }
  let folders = 0;
  const free: string[] = [];
  const makeFolder = async (): Promise<string> => {
    const folder = path.join(root, `line-${folders++}`);
    const work = path.join(folder, 'work');
    await mkdir(path.join(work, 'sub'), { recursive: true });
    for (const name of ['a', 'b.txt', '-x']) await writeFile(path.join(work, name), '');
    await writeFile(path.join(work, 'npm'), `#!/bin/sh\n${TELL}\n`, { mode: 0o755 });
    return folder;
  };
  return {
    programs,
    async run(line) {
      const folder = free.pop() ?? (await makeFolder());
      await writeFile(path.join(folder, 'command'), line);
      const { told, isKilled } = await runBash(folder, programs);
      const names = await readdir(path.join(folder, 'work'));
      const written = names.filter((name) => !FILES.includes(name));
      if (written.length === 0 && names.length === FILES.length) free.push(folder);
      else await rm(folder, { recursive: true, force: true });
      return { started: told.split(END).filter(Boolean).map(toProgram), written, isKilled };
    },
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** As the product does it: the command is read from a file by eval. */
async function runBash(
  folder: string,
  programs: string,
): Promise<{ readonly told: string; readonly isKilled: boolean }> {
  const child = spawn(requireBash(), ['--noprofile', '--norc', '-c', 'eval "$(<../command)"'], {
    cwd: path.join(folder, 'work'),
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', ...Array<'ignore'>(6).fill('ignore'), 'pipe'],
    env: {
      PATH: programs,
      HOME: path.join(folder, 'work'),
      LANG: 'C.UTF-8',
      X: 'evil',
      'BASH_FUNC_command_not_found_handle%%': NOT_FOUND,
    },
  });
  const pipe = Object.values(child.stdio)[TOLD_TO];
  if (!(pipe instanceof Socket)) throw new Error('Bash was started without its pipe.');
  let told = '';
  let isKilled = false;
  const limit = setTimeout(() => {
    isKilled = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, LIMIT_MS);
  pipe.setEncoding('utf8').on('data', (chunk: string) => (told += chunk));
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    pipe.on('close', resolve);
  });
  clearTimeout(limit);
  return { told, isKilled };
}

function toProgram(record: string): StartedProgram {
  const [file = '', ...args] = record.split(SEPARATOR);
  return { file, name: path.basename(file), args };
}

function requireBash(): string {
  const bash = findProgram('bash');
  if (bash === undefined) throw new Error('There is no Bash on this machine. Install it.');
  return bash;
}

function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
