import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fine, wrong, type Check } from '../../../src/cli/doctor/check';
import {
  cliCheck,
  credentialsCheck,
  diskCheck,
  homeCheck,
  nodeCheck,
  serverCheck,
} from '../../../src/cli/doctor/checks';
import { doctor } from '../../../src/cli/doctor/doctor';
import { FakeSurroundings } from '../../support/fake-surroundings';

const check = (name: string, run: Check['run']): Check => ({ name, run });
const LOCAL = { hasTemporalAddress: false };

async function examine(checks: readonly Check[]) {
  const world = new FakeSurroundings();
  const exitCode = await doctor({ repair: false }, { stdout: world.of().stdout, checks });
  return { exitCode, lines: world.stdout.text.trimEnd().split('\n') };
}

test('one line a check, with the cure behind what is wrong', async () => {
  const { exitCode, lines } = await examine([
    check('A', async () => fine('all right')),
    check('B', async () => wrong('broken', 'Mend it.')),
    check('C', () => Promise.reject(new Error('No access.'))),
  ]);

  expect(exitCode).toBe(1);
  expect(lines).toEqual([
    'ok     A: all right',
    'WRONG  B: broken. Mend it.',
    'WRONG  C: could not be checked. No access.',
  ]);
});

test('nothing wrong is exit code 0', async () => {
  expect((await examine([check('A', async () => fine('1'))])).exitCode).toBe(0);
});

test.each([
  ['20.19.0', true],
  ['22.1.0', true],
  ['20.18.9', false],
  ['18.20.0', false],
])('Node %s is enough: %s', async (version, isEnough) => {
  expect((await nodeCheck(version).run(false)).cure === null).toBe(isEnough);
});

describe('home folder', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'everloop-doctor-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  test('one that others can read is wrong, and --repair closes it', async () => {
    await chmod(home, 0o755);

    const before = await homeCheck(home).run(false);
    const after = await homeCheck(home).run(true);

    expect(before.cure).toContain(`chmod 700 ${home}`);
    expect(after.cure).toBeNull();
    expect((await stat(home)).mode & 0o777).toBe(0o700);
  });

  test('one that is not there yet is fine, and its disk can be looked at', async () => {
    const missing = join(home, 'not', 'there');

    expect((await homeCheck(missing).run(false)).cure).toBeNull();
    expect((await diskCheck(missing).run(false)).detail).toContain('GB free');
  });
});

test('without a server of its own, neither program nor local server is needed', async () => {
  const remote = { hasTemporalAddress: true };
  const never = () => Promise.reject(new Error('must not be asked'));

  expect((await cliCheck(remote, never).run(false)).cure).toBeNull();
  expect((await serverCheck(remote, never).run(false)).cure).toBeNull();
});

test('a missing program and a server that hangs have their cures', async () => {
  const hanging = {
    running: true as const,
    serving: false,
    address: '127.0.0.1:1',
    uiUrl: '',
    pid: 1,
    startedAt: '',
    cliVersion: '',
    database: '',
    logFile: '',
  };

  expect((await cliCheck(LOCAL, async () => undefined).run(false)).cure).toContain('server start');
  expect((await serverCheck(LOCAL, async () => hanging).run(false)).cure).toContain('server stop');
  expect((await serverCheck(LOCAL, async () => ({ running: false })).run(false)).cure).toBeNull();
});

test('missing credentials are named with the variables that give them', async () => {
  const none = { apiKey: null, authToken: null, baseUrl: 'https://api.example.com' };

  const { cure } = await credentialsCheck(none).run(false);

  expect(cure).toContain('ANTHROPIC_API_KEY');
});
