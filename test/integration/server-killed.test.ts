// Needs: a build in dist/, a temporal binary; starts a server of its own and kills it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireCli } from '../../src/server/find-cli';
import { ensureServer, serverStatus, stopServer } from '../../src/server/local-server';
import { startScriptedModel } from '../../src/scripted-model/scripted-model';
import { fileIn, heldCommand, calls, text } from '../support/replies';
import { cliSearch } from '../support/temporal';

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-server-'));
});
afterEach(async () => {
  await stopServer(join(folder, 'home'));
  rmSync(folder, { recursive: true, force: true });
});

test('the server is killed while a command runs: it comes back, and the command ran once', async () => {
  const home = join(folder, 'home');
  const search = cliSearch();
  await ensureServer({ home, cli: search, ports: { frontend: 0, ui: 0 } });
  const { path: binary } = await requireCli(search);
  const model = await startScriptedModel({
    script: [calls(heldCommand()), { content: [text('Done.')] }],
  });
  const command = spawn(
    LAUNCHER,
    ['-p', 'Work.', '--dangerously-skip-permissions', '--output-format', 'json'],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        EVERLOOP_HOME: home,
        EVERLOOP_TEMPORAL_CLI: binary,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'key',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<number | null>((resolve) => command.once('exit', resolve));
  let stdout = '';
  command.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  try {
    await fileIn(folder, 'started');
    const before = await serverStatus(home);
    if (!before.running) throw new Error('The server does not run.');
    process.kill(before.pid, 'SIGKILL');
    writeFileSync(join(folder, 'go'), '');

    expect(await ended).toBe(0);

    expect(JSON.parse(stdout)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    expect(await serverStatus(home)).toMatchObject({ address: before.address });
  } finally {
    command.kill('SIGKILL');
    await model.close();
  }
}, 180_000);
