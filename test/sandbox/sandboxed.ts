import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { clearGhosts } from '../../src/sandbox/ghost-folders';
import { readSandboxSettings } from '../../src/sandbox/sandbox-settings';
import { sandboxOf } from '../../src/sandbox/session-sandbox';
import type { SandboxPlaces, SandboxState } from '../../src/sandbox/sandbox';
import { createBashTool } from '../../src/tools/bash';
import { ToolError, type ToolContext } from '../../src/tools/tool';

/** `test`, or a test that is skipped with a word about it where there is no sandbox. */
export const sandboxTest: jest.It = isSandboxHere() ? test : test.skip;

function isSandboxHere(): boolean {
  const args = [
    '--unshare-user',
    '--disable-userns',
    '--unshare-net',
    '--ro-bind',
    '/',
    '/',
    'true',
  ];
  const { status, stderr, error } = spawnSync('bwrap', args, { encoding: 'utf8' });
  if (status !== 0) {
    const reason = error?.message ?? stderr.trim();
    process.stderr.write(
      `Tests of the sandbox are skipped: bubblewrap cannot be used (${reason}).\n`,
    );
  }
  return status === 0;
}

/** Starts the launcher from its source. */
export const LAUNCHER = [
  process.execPath,
  ...['-r', require.resolve('tsx/cjs')],
  path.join(__dirname, '../../src/sandbox/network-launcher.ts'),
];

/** A workspace and a home of a user's, in a folder of their own; commands run in the sandbox. */
export interface SandboxedPlace {
  readonly workspace: string;
  /** Beside the workspace: nothing there may be written. */
  readonly outside: string;
  readonly places: SandboxPlaces;
  state(sandbox?: object): Promise<SandboxState>;
  context(changes?: Partial<ToolContext>): Promise<ToolContext>;
  /** The output, whatever the exit code: of a failure with its first line "Exit code N". */
  run(command: string, sandbox?: object, changes?: Partial<ToolContext>): Promise<string>;
  remove(): Promise<void>;
}

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  GITHUB_TOKEN: 'secret-token',
  AWS_SECRET_ACCESS_KEY: 'secret-key',
  DATABASE_PASSWORD: 'secret-word',
  KEPT: 'kept',
};

/** Not below /tmp: commands have one of their own. */
export async function sandboxedPlace(): Promise<SandboxedPlace> {
  const root = await realpath(await mkdtemp('/var/tmp/everloop-sandbox-'));
  const at = (...names: string[]): string => path.join(root, ...names);
  const workspace = at('user', 'work');
  const outside = at('user', 'outside');
  await mkdir(workspace, { recursive: true });
  for (const folder of [
    outside,
    at('home', 'session', 'calls'),
    at('user', '.ssh'),
    at('config'),
  ]) {
    await mkdir(folder, { recursive: true });
  }
  await writeFile(at('user', '.ssh', 'id'), 'private key');
  await writeFile(at('user', '.netrc'), 'password');
  await writeFile(at('home', 'server.db'), 'database');
  await writeFile(path.join(outside, 'file'), 'as it was');
  const calls = at('home', 'session', 'calls');
  const places: SandboxPlaces = {
    roots: [workspace],
    readable: [calls],
    temporary: at('temporary', 'sandbox', 'session'),
    home: at('home'),
    userHome: at('user'),
    configDir: at('config'),
  };
  const bash = createBashTool({ environment: { ...ENVIRONMENT, HOME: at('user') } });
  let count = 0;

  const state = (sandbox: object = {}): Promise<SandboxState> =>
    sandboxOf({
      settings: readSandboxSettings(
        [{ source: 'local', file: null, raw: { sandbox: { enabled: true, ...sandbox } } }],
        { cwd: workspace, configDir: places.configDir, homeFolder: places.userHome },
      ),
      rules: [],
      isBackground: false,
      places,
      searchPath: process.env['PATH'] ?? '',
      launcher: LAUNCHER,
    });
  const context = async (changes: Partial<ToolContext> = {}): Promise<ToolContext> => ({
    workingDirectory: workspace,
    roots: [workspace],
    filesSeen: new Map(),
    callFolder: path.join(calls, `call-${++count}`),
    shellsFolder: at('home', 'session', 'shells'),
    todosFile: null,
    askSmallModel: null,
    attempt: 1,
    signal: new AbortController().signal,
    workerGone: new AbortController().signal,
    onProgress: () => undefined,
    sandbox: await state(),
    ...changes,
  });
  return {
    workspace,
    outside,
    places,
    state,
    context,
    async run(command, sandbox = {}, changes = {}) {
      const call = await context({ sandbox: await state(sandbox), ...changes });
      try {
        const { content } = await bash.call({ command }, call);
        return typeof content === 'string' ? content : JSON.stringify(content);
      } catch (error) {
        if (error instanceof ToolError) return error.message;
        throw error;
      } finally {
        await clearGhosts(places.home);
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
