import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ToolError } from './tool';
import type { ToolContext } from './tool';

const TIMEOUT_MS = 20_000;
const OUTPUT_LIMIT_BYTES = 8 * 1024 * 1024;

/** Left out of every search: what .gitignore names (inside a repository or not) and git's own files. */
const COMMON_ARGUMENTS = [
  '--no-config',
  '--color=never',
  '--no-require-git',
  '--hidden',
  '--glob=!.git',
];

export interface Search {
  readonly args: readonly string[];
  /** Paths in the output are relative to it. */
  readonly folder: string;
  /** What is searched when `args` name "-"; omitted: nothing. */
  readonly input?: Readable;
}

interface SearchOutput {
  readonly lines: readonly string[];
  /** The search was stopped because it printed more than anybody reads. */
  readonly isCut: boolean;
}

/** Runs ripgrep without a shell and without the environment.
 *  Fails: ToolError for a bad pattern, or after 20 s; `signal.reason` when aborted. */
export async function runRipgrep(
  search: Search,
  context: Pick<ToolContext, 'signal' | 'workerGone'>,
): Promise<SearchOutput> {
  const aborted = AbortSignal.any([context.signal, context.workerGone]);
  aborted.throwIfAborted();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const found = await collect(search, AbortSignal.any([aborted, timeout]));
  aborted.throwIfAborted();
  if (timeout.aborted) {
    throw new ToolError(
      `The search in ${search.folder} took more than ${TIMEOUT_MS / 1000} s. Narrow path or glob.`,
    );
  }
  // Status 2 also means that some files could not be read; what was found in the others still counts.
  if (found.status === 2 && found.lines.length === 0) {
    throw new ToolError(`The search failed: ${found.stderr.trim()}`);
  }
  return found;
}

interface Collected extends SearchOutput {
  readonly status: number | null;
  readonly stderr: string;
}

/** What `@vscode/ripgrep` exports as `rgPath`; the package itself is an ES module, which `require` refuses. */
function ripgrepBinary(): string {
  const wrapper = path.dirname(require.resolve('@vscode/ripgrep'));
  const binary = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;
  return require.resolve(binary, { paths: [wrapper] });
}

/** It need not read all of it (EPIPE). */
function feed(stdin: Writable, input: Readable): void {
  stdin.on('error', () => undefined);
  input.pipe(stdin);
}

function collect({ args, folder, input }: Search, stop: AbortSignal): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const child = spawn(ripgrepBinary(), [...COMMON_ARGUMENTS, ...args], {
      cwd: folder,
      env: {},
      // Where no path is named, an open stdin is what ripgrep would search.
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (input !== undefined && child.stdin !== null) feed(child.stdin, input.on('error', reject));
    const kill = () => child.kill('SIGKILL');
    stop.addEventListener('abort', kill, { once: true });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > OUTPUT_LIMIT_BYTES) kill();
      else chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, 2_000);
    });
    child.on('error', reject);
    child.on('close', (status) => {
      stop.removeEventListener('abort', kill);
      const isCut = sizeBytes > OUTPUT_LIMIT_BYTES;
      const lines = Buffer.concat(chunks).toString().split('\n');
      // Behind the last line end there is nothing, or a line that was cut off.
      lines.pop();
      resolve({ lines, isCut, status, stderr });
    });
  });
}
