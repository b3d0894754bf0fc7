import { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { parseKeys as parseKeysCommand } from '../../src/cli/keys/keys-command';
import { listKeys, rotateKeys, type KeysWorld } from '../../src/cli/keys/keys';
import { OutputStream } from '../../src/cli/output/output-stream';
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { KeyRing } from '../../src/encryption/key-ring';

function worldOf(world: Partial<KeysWorld>) {
  const written = { out: '', err: '' };
  const into = (name: 'out' | 'err'): OutputStream => {
    const stream = new PassThrough();
    stream.on('data', (bytes: Buffer) => (written[name] += bytes.toString()));
    return new OutputStream(stream);
  };
  const keys = [newKeyLine('new'), newKeyLine('old'), newKeyLine('older')].join(',');
  return {
    written,
    world: {
      stdout: into('out'),
      stderr: into('err'),
      ring: new KeyRing(parseKeys(keys, 'KEYS')),
      store: {
        place: 'db',
        keyUse: async () => [{ keyId: 'new', rows: 12 }],
        reseal: async () => ({ rows: 7, unreadable: [] }),
      },
      temporal: {
        keyUse: async () => new Map([['old', 2]]),
        rewriteSchedules: async () => 1,
      },
      ...world,
    },
  };
}

test('a rotation says what it did, which keys are needed still, and which can go', async () => {
  const { world, written } = worldOf({});

  const exitCode = await rotateKeys(world);

  expect(exitCode).toBe(0);
  expect(written.out.trim().split('\n')).toEqual([
    '7 rows of db encrypted with new',
    '1 schedules encrypted with new',
    'old is still needed by 2 open Workflows',
    'older can be dropped when no closed Workflow that it encrypted needs to be read',
  ]);
});

test('rows that cannot be read are named, and the exit code is 1', async () => {
  const store = {
    place: 'db',
    keyUse: async () => [{ keyId: 'lost', rows: 1 }],
    reseal: async () => ({ rows: 0, unreadable: ['Session x: needs "lost"'] }),
  };
  const { world, written } = worldOf({ store });

  expect(await rotateKeys(world)).toBe(1);
  expect(written.err).toContain('Session x: needs "lost"');
  expect(written.out).toContain('lost is still needed by 1 rows');
});

test('without keys nothing is rotated', async () => {
  await expect(rotateKeys(worldOf({ ring: null }).world)).rejects.toThrow('everloop keys new');
});

test('a list has every key, what needs it, and what is in clear', async () => {
  const store = {
    place: 'db',
    keyUse: async () => [
      { keyId: null, rows: 3 },
      { keyId: 'lost', rows: 1 },
    ],
    reseal: async () => ({ rows: 0, unreadable: [] }),
  };
  const { world, written } = worldOf({ store });

  await listKeys(true, world);

  const listed = written.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(listed).toEqual([
    { keyId: 'new', state: 'encrypts', storeRows: 0, openWorkflows: 0 },
    { keyId: 'old', state: 'decrypts', storeRows: 0, openWorkflows: 2 },
    { keyId: 'older', state: 'decrypts', storeRows: 0, openWorkflows: 0 },
    { keyId: null, state: 'clear', storeRows: 3, openWorkflows: 0 },
    { keyId: 'lost', state: 'missing', storeRows: 1, openWorkflows: 0 },
  ]);
});

test('arguments that do not belong to an action are refused', () => {
  const parse = (...args: string[]) => parseKeysCommand(new Command().exitOverride(), args);

  expect(parse('new', 'a')).toEqual({ type: 'keys', action: 'new', id: 'a' });
  expect(() => parse('ls', 'a')).toThrow(/takes no id/);
  expect(() => parse('rotate', '--json')).toThrow(/belongs to everloop keys ls/);
});
