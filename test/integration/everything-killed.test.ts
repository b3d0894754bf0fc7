// Needs: a build in dist/, a temporal binary; starts a server of its own and kills it, with all processes of everloop.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import { requireCli } from '../../src/server/find-cli';
import { ensureServer, serverStatus, stopServer } from '../../src/server/local-server';
import { createFileStore } from '../../src/transcript/files/file-store';
import type { QueryResult } from '../../src/transcript/session-log';
import { kill } from '../support/kill';
import { calls, fileIn, heldCommand, says } from '../support/replies';
import { cliSearch } from '../support/temporal';

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');

let home: string;
let model: ScriptedModel;
let environment: NodeJS.ProcessEnv;
const started: ChildProcess[] = [];

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-killed-')));
  const search = cliSearch();
  const { path: binary } = await requireCli(search);
  await ensureServer({ home, cli: search, ports: { frontend: 0, ui: 0 } });
  model = await startScriptedModel({
    match: 'conversation',
    script: [calls(heldCommand()), says('Done.')],
  });
  environment = {
    PATH: process.env['PATH'],
    HOME: home,
    EVERLOOP_HOME: home,
    EVERLOOP_TEMPORAL_CLI: binary,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'key',
  };
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(kill));
  await stopServer(home);
  await model.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function everloop(cwd: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(LAUNCHER, args, {
    cwd,
    env: environment,
    stdio: 'ignore',
  });
  started.push(child);
  return child;
}

/** Resolves when others find it: a command that needs one starts no other then. */
async function backgroundWorker(): Promise<ChildProcess> {
  const notes = join(home, 'background');
  rmSync(notes, { recursive: true, force: true });
  const worker = everloop(home, 'worker');
  while (!existsSync(notes) || !readdirSync(notes).some((name) => name.endsWith('.json'))) {
    if (worker.exitCode !== null) throw new Error('The background Worker left.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return worker;
}

/** A folder for one session. */
function project(name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  return folder;
}

/** Id of a new session that works in the background. */
async function detached(cwd: string): Promise<string> {
  const args = ['run', '--detach', '--dangerously-skip-permissions', 'Work.'];
  const run = promisify(execFile);
  const { stdout } = await run(LAUNCHER, args, { cwd, env: environment });
  return stdout.trim();
}

/** As soon as it is there; the test's own time limit is the deadline. */
async function resultOf(sessionId: string): Promise<QueryResult> {
  const store = createFileStore({ home, projectsFolder: join(home, '.claude', 'projects') });
  const enough = new AbortController();
  const session = await store.openSession(sessionId);
  if (session === undefined) throw new Error(`There is no session ${sessionId}.`);
  try {
    for await (const { entry } of session.log.follow(null, enough.signal)) {
      if (entry.type === 'query_ended') return entry.result;
    }
    throw new Error('The log ended.');
  } finally {
    enough.abort();
    await store.close();
  }
}

test('every process and the server are killed: with server and background Worker back, all sessions end, nobody attached', async () => {
  const worker = await backgroundWorker();
  const folders = ['first', 'second', 'watched'].map(project);
  const [first = '', second = '', watched = ''] = folders;
  const ids = [await detached(first), await detached(second)];
  const watchedId = '5e55a0b1-6a5e-4d5c-9d37-0f4c1d6a7b21';
  const args = ['-p', 'Work.', '--session-id', watchedId, '--dangerously-skip-permissions'];
  const command = everloop(watched, ...args);
  await Promise.all(folders.map((folder) => fileIn(folder, 'started')));
  const server = await serverStatus(home);
  if (!server.running) throw new Error('The server does not run.');
  process.kill(server.pid, 'SIGKILL');
  await Promise.all([worker, command].map(kill));
  for (const folder of folders) writeFileSync(join(folder, 'go'), '');

  await once(everloop(home, 'server', 'start'), 'exit');
  await backgroundWorker();

  for (const id of [...ids, watchedId]) {
    expect(await resultOf(id)).toMatchObject({ subtype: 'success', result: 'Done.' });
  }
  for (const folder of folders) {
    expect(readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
  }
  expect(model.requests).toHaveLength(6);
}, 180_000);
