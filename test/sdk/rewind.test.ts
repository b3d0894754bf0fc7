// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call, calls, says } from '../support/replies';
import { SdkRig, type Project } from './sdk-rig';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

const SCRIPT = [
  calls(call('Write', { file_path: 'a.txt', content: 'one\n' })),
  says('One.'),
  calls(call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })),
  calls(call('Write', { file_path: 'b.txt', content: 'b\n' })),
  says('Two.'),
];

const started = async (): Promise<Project> => rig.project([...SCRIPT, says('Three.')]);
const MODE = {
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
} as const;

test('rewindFiles gives files back as they were before a message, first as a dry run', async () => {
  const { options, cwd } = await started();
  const query = rig.client.query(null, { ...options, ...MODE, enableFileCheckpointing: true });
  query.send('first');
  await query.untilResults(1);
  const second = query.send('second');
  await query.untilResults(2);

  const dry = await query.call('rewindFiles', second, { dryRun: true });
  const isUntouched = existsSync(join(cwd, 'b.txt'));
  const real = await query.call('rewindFiles', second);
  query.end();
  await query.result();

  const expected = {
    canRewind: true,
    filesChanged: [join(cwd, 'a.txt'), join(cwd, 'b.txt')],
    insertions: 1,
    deletions: 2,
  };
  expect([dry, isUntouched, real]).toEqual([expected, true, expected]);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(join(cwd, 'b.txt'))).toBe(false);
});

test('without enableFileCheckpointing it is an error', async () => {
  const { options } = await started();
  const query = rig.client.query(null, { ...options, ...MODE });
  const first = query.send('first');
  await query.untilResults(1);

  await expect(query.call('rewindFiles', first)).rejects.toThrow('not enabled');
  query.end();
  await query.result();
});

test('the command line rewinds, forks and replays what the SDK has recorded', async () => {
  const { options, cwd, model } = await started();
  const query = rig.client.query(null, { ...options, ...MODE });
  query.send('first');
  await query.untilResults(1);
  query.send('second');
  query.end();
  await query.result();
  const { sessionId } = query;
  const everloop = async (...args: readonly string[]) => {
    const { pathToClaudeCodeExecutable = '', env } = options;
    const { stdout } = await promisify(execFile)(pathToClaudeCodeExecutable, args, { cwd, env });
    return stdout;
  };

  const plan = await everloop('rewind', sessionId.slice(0, 8), '--to', 'turn:1', '--json');
  const fork = await everloop('fork', sessionId, '--at', 'turn:2');
  await everloop('rewind', sessionId, '--to', 'turn:1', '--files-only', '--yes');
  const answer = await everloop('fork', sessionId, 'third', '--at', 'turn:5');

  expect(JSON.parse(plan)).toMatchObject({ sessionId, done: false, files: [{}, {}] });
  expect(fork).toMatch(/^[0-9a-f-]{36}\n$/);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
  expect(answer).toBe('Three.\n');
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('third');
});
