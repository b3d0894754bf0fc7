import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import { requireCli } from '../../src/server/find-cli';
import { stopServer } from '../../src/server/local-server';
import { cliSearch, temporalAddress } from '../support/temporal';
import { startPostgres, type TestPostgres } from '../transcript/postgres-server';
import { ROOT } from './repository';
import { replyTo } from './snippet-model';

/** A small project, as a reader may have it. */
const PROJECT: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'project',
    private: true,
    scripts: { test: 'node --test' },
  }),
  'sum.js': 'exports.sum = (a, b) => a + b;\n',
  'sum.test.js':
    "const { test } = require('node:test');\nconst { equal } = require('node:assert');\ntest('sums', () => equal(require('./sum').sum(1, 2), 3));\n",
  'README.md': '# project\n',
};

/** What programs of a page import beside the package. */
const BESIDE = [
  '@anthropic-ai',
  '@temporalio',
  '@types',
  'tsx',
  'typescript',
  'undici-types',
  'zod',
];

const PATIENCE_MS = 300_000;

export interface Ended {
  readonly exitCode: number | null;
  /** What came on stdout. */
  readonly stdout: string;
  /** What came on both streams. */
  readonly said: string;
}

/** One home folder, model and Temporal server for the snippets of all pages. */
export class SnippetWorld {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-snippets-')));
  #postgres: Promise<TestPostgres> | null = null;
  /** Process groups with what a page left running in the background. */
  readonly #goingOn: number[] = [];

  private constructor(
    readonly model: ScriptedModel,
    private readonly temporalCli: string,
  ) {
    mkdirSync(join(this.folder, 'home'));
  }

  static async open(): Promise<SnippetWorld> {
    const { path } = await requireCli(cliSearch());
    const model = await startScriptedModel({ script: async (request) => replyTo(request) });
    return new SnippetWorld(model, path);
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: [join(ROOT, 'bin'), join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(':'),
      HOME: join(this.folder, 'home'),
      EVERLOOP_HOME: this.home,
      TEMPORAL_ADDRESS: temporalAddress(),
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: 'test-key',
      EVERLOOP_TEMPORAL_CLI: this.temporalCli,
      EVERLOOP_USER: 'ada',
    };
  }

  /** A new folder in which the package is installed, with a small project. */
  projectFor(name: string): string {
    const folder = join(this.folder, name.replaceAll(/\W+/g, '-'));
    for (const [file, text] of Object.entries(PROJECT)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const packages = join(folder, 'node_modules');
    mkdirSync(join(packages, '.bin'), { recursive: true });
    symlinkSync(ROOT, join(packages, 'everloop'));
    symlinkSync(join(ROOT, 'node_modules', '.bin', 'tsx'), join(packages, '.bin', 'tsx'));
    for (const beside of BESIDE)
      symlinkSync(join(ROOT, 'node_modules', beside), join(packages, beside));
    return folder;
  }

  /** Runs a shell text to its end, up to the first command that fails; nobody answers what it asks.
   *  Variables and the folder are those that the text before it in the same project left. */
  async run(project: string, text: string): Promise<Ended> {
    const [kept, stdoutFile, stderrFile] = ['state', 'stdout', 'stderr'].map(
      (name) => `${project}.${name}`,
    ) as [string, string, string];
    const script = `[ -e ${kept} ] && . ${kept}
set -aeE -o pipefail
mktemp() { TMPDIR=${this.folder} command mktemp "$@"; }
trap 'echo "Ended with $?: $BASH_COMMAND" >&2' ERR
${text}
{ export -p; printf 'cd %q\\n' "$PWD"; } > ${kept}`;
    // Files, for a command that goes on in the background keeps a pipe open.
    const streams = [openSync(stdoutFile, 'w'), openSync(stderrFile, 'w')];
    const child = spawn('/bin/bash', ['-c', script], {
      cwd: project,
      env: this.environment,
      stdio: ['ignore', ...streams],
      detached: true,
    });
    streams.forEach((stream) => closeSync(stream));
    const group = -(child.pid ?? 0);
    const overdue = setTimeout(() => signal(group, 'SIGKILL'), PATIENCE_MS);
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    clearTimeout(overdue);
    if (signal(group, 0)) this.#goingOn.push(group);
    const stdout = readFileSync(stdoutFile, 'utf8');
    return { exitCode, stdout, said: stdout + readFileSync(stderrFile, 'utf8') };
  }

  /** Starts the background Worker of the home; a second call finds it. It has more time than a command gives it. */
  async startWorker(): Promise<void> {
    if (this.#backgroundPids().length > 0) return;
    await this.run(join(this.folder, 'home'), 'everloop worker > /dev/null 2>&1 &');
    const deadline = Date.now() + PATIENCE_MS;
    while (this.#backgroundPids().length === 0) {
      if (Date.now() > deadline) throw new Error('The background Worker does not start.');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Of a database server, which starts with the first call. */
  async postgresUrl(): Promise<string> {
    this.#postgres ??= startPostgres({ fsync: 'on' });
    return (await this.#postgres).url;
  }

  /** Where `everloop` keeps what is its own. */
  get home(): string {
    return join(this.folder, 'home', '.everloop');
  }

  async close(): Promise<void> {
    for (const group of this.#goingOn) signal(group, 'SIGKILL');
    for (const pid of this.#backgroundPids()) await endProcess(pid);
    await stopServer(this.home);
    await (await this.#postgres)?.end();
    await this.model.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  #backgroundPids(): readonly number[] {
    const folder = join(this.home, 'background');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => pidIn(join(folder, name)));
  }
}

/** None: the Worker has just begun to write it. */
function pidIn(note: string): readonly number[] {
  const [, pid] = /"pid":(\d+)/.exec(readFileSync(note, 'utf8')) ?? [];
  return pid === undefined ? [] : [Number(pid)];
}

/** SIGTERM, and SIGKILL to what does not end by it. */
async function endProcess(pid: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  let isThere = signal(pid, 'SIGTERM');
  while (isThere && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    isThere = signal(pid, 0);
  }
  if (isThere) signal(pid, 'SIGKILL');
}

/** `pid`: below 0 it names a group. false: there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
