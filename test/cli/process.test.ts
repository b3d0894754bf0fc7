// Needs: nothing but Node; starts processes of its own.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[], cwd = tmpdir()): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const fromSource = (script: string, ...args: string[]): Promise<Ended> =>
  run(path.join(ROOT, 'node_modules', '.bin', 'tsx'), [script, ...args], ROOT);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'everloop-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('an unknown flag is named on stderr, exit 1, nothing on stdout', async () => {
  const { code, stdout, stderr } = await fromSource('src/cli/main.ts', '-p', 'hi', '--bogus');

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain("unknown option '--bogus'");
});

test('what libraries print goes to stderr, what we write goes to stdout', async () => {
  const script = path.join(folder, 'prints.ts');
  const module = (name: string) => JSON.stringify(path.join(ROOT, 'src', 'cli', name));
  await writeFile(
    script,
    `import { takeStdout } from ${module('own-stdout')};
     import { OutputStream } from ${module('output/output-stream')};
     const stdout = new OutputStream(takeStdout());
     console.log('from a library');
     process.stdout.write('from another\\n');
     void stdout.write('x'.repeat(1_000_000) + '\\n').then(() => process.exit(0));`,
  );

  const { stdout, stderr } = await fromSource(script);

  expect(stdout).toBe(`${'x'.repeat(1_000_000)}\n`);
  expect(stderr).toBe('from a library\nfrom another\n');
});

describe('the launcher', () => {
  test('starts the built program from any folder, also through a link', async () => {
    await cp(path.join(ROOT, 'bin'), path.join(folder, 'bin'), { recursive: true });
    await mkdir(path.join(folder, 'dist', 'cli'), { recursive: true });
    await writeFile(
      path.join(folder, 'dist', 'cli', 'main.js'),
      'require("node:fs").writeSync(Number(process.env.EVERLOOP_STDOUT_FD), "started\\n");',
    );
    await symlink(path.join(folder, 'bin', 'everloop'), path.join(folder, 'link'));

    expect(await run(path.join(folder, 'link'), [])).toMatchObject({
      code: 0,
      stdout: 'started\n',
    });
  });

  test('says what to do when nothing is built', async () => {
    await cp(path.join(ROOT, 'bin'), path.join(folder, 'bin'), { recursive: true });

    const { code, stderr } = await run(path.join(folder, 'bin', 'everloop'), ['-p', 'hi']);

    expect(code).toBe(1);
    expect(stderr).toContain('npm ci && npm run build');
  });
});
