import { writeFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../src/tools/bash';
import { ToolError } from '../../src/tools/tool';
import { createWorkspace, textOf } from './tool-call';
import type { Workspace } from './tool-call';

const bash = createBashTool({
  environment: {
    PATH: process.env['PATH'],
    ANTHROPIC_API_KEY: 'secret-1',
    ANTHROPIC_AUTH_TOKEN: 'secret-2',
    EVERLOOP_HOME: 'secret-3',
    KEPT: 'kept',
  },
});

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

const run = (command: string, changes = {}) => workspace.call(bash, { command }, changes);

test('stdout and stderr come back in order', async () => {
  const result = await run('echo out; echo err >&2; echo out again');

  expect(result.content).toBe('out\nerr\nout again');
});

test('a command without output still gives a result', async () => {
  expect((await run('true')).content).toBe('(The command succeeded and printed nothing.)');
});

test.each([
  ['exit', 'echo before; exit 3', 'Exit code 3\nbefore'],
  ['set -e', 'set -e; echo one; false; echo two', 'Exit code 1\none'],
  ['a syntax error', 'echo "unclosed', 'Exit code 2\nbash: eval: line 1: unexpected EOF'],
  ['an unknown command', 'nosuchcommand', 'Exit code 127\nbash: line 1: nosuchcommand'],
  ['its shell killed', 'echo a; kill -9 $$', 'Exit code 137\na'],
  ['its group ended', 'echo a; kill 0', 'Exit code 143\na'],
  ['its group killed', 'echo a; kill -9 0', 'Exit code 137\na'],
  ['a trap of its own', 'trap "echo trapped" EXIT; exit 4', 'Exit code 4\ntrapped'],
])('%s: the exit code and the output are told', async (_name, command, message) => {
  const call = run(command);

  await expect(call).rejects.toThrow(ToolError);
  await expect(call).rejects.toThrow(message);
});

test.each([
  ['here-documents', 'cat <<END\na b\nEND', 'a b'],
  ['comments at the end', 'echo a # b', 'a'],
  ['exec', 'exec echo a', 'a'],
  ['quotes of all kinds', `echo 'a "b"' "c 'd'" \\$HOME`, `a "b" c 'd' $HOME`],
  ['no positional parameters of ours', 'echo "[$*]"', '[]'],
  ['noclobber', 'set -C; echo a', 'a'],
  ['an empty stdin', 'cat; echo end', 'end'],
])('%s work', async (_name, command, output) => {
  expect((await run(command)).content).toBe(output);
});

test('a process left in the background does not hold up the result', async () => {
  const startedAt = Date.now();

  const result = await run('sleep 5 & echo $!');

  process.kill(Number(result.content));
  expect(Date.now() - startedAt).toBeLessThan(3_000);
});

test('the folder moves with cd, also before an exit; variables do not last', async () => {
  await mkdir(path.join(workspace.folder, 'sub'));
  const sub = path.join(workspace.folder, 'sub');

  const moved = await run('cd sub && VALUE=set && exit 0');
  const next = await run('pwd; echo "[$VALUE]"', { workingDirectory: moved.workingDirectory });

  expect(moved.workingDirectory).toBe(sub);
  expect(next.content).toBe(`${sub}\n[]`);
  expect(next.workingDirectory).toBeUndefined();
});

test('a cd out of the roots is taken back, and the model is told', async () => {
  const result = await run('cd /; echo there');

  expect(result.workingDirectory).toBe(workspace.folder);
  expect(result.content).toContain(`left the folders of this session for /; it is back in`);
});

test('a shell whose folder was deleted goes on in the workspace', async () => {
  const gone = path.join(workspace.folder, 'gone');

  const result = await run('pwd', { workingDirectory: gone });

  expect(textOf(result).split('\n')[0]).toBe(workspace.folder);
  expect(result.workingDirectory).toBe(workspace.folder);
});

test('when the workspace itself is gone the error names it', async () => {
  await rm(workspace.folder, { recursive: true });

  await expect(run('pwd')).rejects.toThrow(
    `The folder ${workspace.folder} does not exist any more`,
  );
});

test('keys and settings of the Worker are not in the environment, the rest is', async () => {
  const text = textOf(await run('env'));

  expect(text).not.toContain('secret-');
  expect(text).toContain('KEPT=kept');
});

test('long output is kept whole in a file; the result shows its beginning and names the file', async () => {
  const callFolder = path.join(workspace.folder, '..', 'call');

  const result = await run('seq 1 30000', { callFolder });

  const file = path.join(callFolder, 'output');
  expect(textOf(result)).toMatch(/^1\n2\n3\n/);
  expect(textOf(result)).toContain(`168894 bytes in all. The whole is in ${file}`);
  expect(textOf(result).length).toBeLessThan(31_000);
  expect((await readFile(file, 'utf8')).endsWith('29999\n30000\n')).toBe(true);
});

test('a long failure shows its beginning and its end', async () => {
  const error = await run('seq 1 30000; echo the reason; false').then(textOf, String);

  expect(error).toMatch(/Exit code 1\n1\n2\n3\n/);
  expect(error).toMatch(/\n30000\nthe reason$/);
  expect(error.length).toBeLessThan(10_000);
});

test('a cut never leaves half a character', async () => {
  const result = await run(`for i in $(seq 1 4000); do printf 'aé€😀\\n'; done`);

  expect(textOf(result)).not.toContain('\ufffd');
  await expect(run(`printf 'é€😀%.0s' $(seq 1 9000); false`)).rejects.not.toThrow('\ufffd');
});

test('observers see the last lines of a command that runs', async () => {
  const texts: string[] = [];
  const onProgress = ({ text }: { text: string }) => {
    texts.push(text);
    writeFileSync(path.join(workspace.folder, 'go'), '');
  };

  await run('echo working; until [ -e go ]; do sleep 0.02; done', { onProgress });

  expect(texts[0]).toBe('working\n');
});

test('NUL characters are refused plainly', async () => {
  await expect(run('a\0b')).rejects.toThrow('NUL');
});

test('where no background shells are kept, run_in_background is refused plainly', async () => {
  const input = { command: 'true', run_in_background: true };

  const background = workspace.call(bash, input, { shellsFolder: null });

  await expect(background).rejects.toThrow('Background shells are not kept here');
});

test('only commands that certainly change nothing may overlap', () => {
  const reads = { command: 'cat /proc/uptime; sleep 1.5; cat /proc/uptime' };

  expect(bash.isConcurrencySafe(reads)).toBe(true);
  expect(bash.isConcurrencySafe({ command: 'touch x' })).toBe(false);
  expect(bash.summarize({ command: `\n${'x'.repeat(300)}\nsecond` })).toBe('x'.repeat(300));
});
