// Needs: nothing but Node; starts processes of its own.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.join(__dirname, '..', '..');
const TSX = path.join(ROOT, 'node_modules', '.bin', 'tsx');

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'everloop-end-')));
});
afterEach(() => rm(folder, { recursive: true }));

const inFolder = (name: string): string => path.join(folder, name);

/** Ends a session of the folder, whose settings file has this text; ms that it took. */
async function end(settings: string): Promise<number> {
  await mkdir(inFolder('.claude'), { recursive: true });
  await writeFile(inFolder('.claude/settings.json'), settings);
  const session = {
    meta: { cwd: folder, sessionId: 'session' },
    transcriptPath: inFolder('session.jsonl'),
  };
  const host = {
    config: { configDir: inFolder('config'), userHome: inFolder('home') },
    settings: {},
    environment: { PATH: process.env['PATH'] },
  };
  await writeFile(
    inFolder('end.ts'),
    `import { runEndHooks } from ${JSON.stringify(path.join(ROOT, 'src/cli/end-hooks'))};
     const startedAtMs = Date.now();
     void runEndHooks(${JSON.stringify(host)} as never, ${JSON.stringify(session)} as never)
       .then(() => console.log(Date.now() - startedAtMs));`,
  );
  const { stdout } = await promisify(execFile)(TSX, [inFolder('end.ts')], { cwd: ROOT });
  return Number(stdout);
}

const hooks = (command: string, more: { readonly timeout?: number } = {}): string =>
  JSON.stringify({
    hooks: { SessionEnd: [{ hooks: [{ type: 'command', command, ...more }] }] },
  });

test('hooks hear that the session is over, in its folder', async () => {
  await end(hooks('cat > heard; pwd > place', { timeout: 60 }));

  expect(JSON.parse(await readFile(inFolder('heard'), 'utf8'))).toEqual({
    hook_event_name: 'SessionEnd',
    session_id: 'session',
    transcript_path: inFolder('session.jsonl'),
    cwd: folder,
    reason: 'other',
  });
  expect((await readFile(inFolder('place'), 'utf8')).trim()).toBe(folder);
});

test('nobody waits for a hook that takes its time', async () => {
  const tookMs = await end(hooks('sleep 600'));

  expect(tookMs).toBeGreaterThanOrEqual(1_500);
  expect(tookMs).toBeLessThan(120_000);
});

test.each([
  ['a hook that fails', hooks('exit 1')],
  ['a hook that objects', hooks('echo no >&2; exit 2')],
  ['settings that cannot be read', '{'],
  ['no hooks', '{}'],
])('%s keeps no session from ending', async (_what, settings) => {
  expect(await end(settings)).toBeGreaterThanOrEqual(0);
});
