import { generateKeyPairSync } from 'node:crypto';
import { readApprovalSettings } from '../../src/permissions/approval-settings';

const lineOf = (type: 'ed25519' | 'x25519'): string =>
  (type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')).publicKey
    .export({ format: 'der', type: 'spki' })
    .toString('base64');
const ada = lineOf('ed25519');

const layer = (source: string, approvals: object) => ({
  source,
  file: `/${source}/settings.json`,
  raw: { approvals },
});

test('without a word calls wait as long as it takes, and nobody has to sign', () => {
  expect(readApprovalSettings([])).toEqual({
    approvals: { timeout: null, requireSignature: false, signers: {} },
    warnings: [],
  });
});

test('a time without an outcome ends with a no', () => {
  const { approvals } = readApprovalSettings([layer('user', { timeoutMinutes: 1.5 })]);

  expect(approvals.timeout).toEqual({ ms: 90_000, outcome: 'deny' });
});

test('a project can make things stricter', () => {
  const { approvals, warnings } = readApprovalSettings([
    layer('project', { timeoutMinutes: 5, outcome: 'deny', requireSignature: true }),
    layer('user', { timeoutMinutes: 60, outcome: 'allow', requireSignature: false }),
  ]);

  expect(approvals).toMatchObject({
    timeout: { ms: 300_000, outcome: 'deny' },
    requireSignature: true,
  });
  expect(warnings).toEqual([]);
});

test.each(['project', 'local'])('a %s file cannot let calls through by itself', (source) => {
  const { approvals, warnings } = readApprovalSettings([
    layer(source, { timeoutMinutes: 1, outcome: 'allow', signers: { me: ada } }),
    layer('user', { requireSignature: false }),
  ]);

  expect(approvals).toMatchObject({ timeout: { outcome: 'deny' }, signers: {} });
  expect(warnings).toEqual([
    `Settings file /${source}/settings.json: approvals.outcome is "allow": a project cannot choose it. Set it in your own settings.`,
    `Settings file /${source}/settings.json: approvals.signers has no effect: a project cannot choose it. Set it in your own settings.`,
  ]);
});

test('where signatures are required, the end of the time is no signature', () => {
  const { approvals } = readApprovalSettings([
    layer('user', { timeoutMinutes: 1, outcome: 'allow', requireSignature: true }),
  ]);

  expect(approvals.timeout).toEqual({ ms: 60_000, outcome: 'deny' });
});

test('signers of the stronger file count for the same name', () => {
  const other = lineOf('ed25519');
  const { approvals } = readApprovalSettings([
    layer('managed', { signers: { ada } }),
    layer('user', { signers: { ada: other, bob: other } }),
  ]);

  expect(approvals.signers).toEqual({ ada, bob: other });
});

test.each([
  [{ timeoutMinutes: 0 }, 'approvals.timeoutMinutes is 0: it must be a number of minutes'],
  [{ outcome: 'ask' }, 'approvals.outcome is "ask": it must be allow or deny'],
  [{ signers: { ada: 'x' } }, 'approvals.signers.ada is "x": it must be an Ed25519 public key'],
  [{ signers: { ada: lineOf('x25519') } }, 'it must be an Ed25519 public key'],
])('%j is refused with the file, the value and the cure', (approvals, words) => {
  expect(() => readApprovalSettings([layer('user', approvals)])).toThrow(words);
  expect(() => readApprovalSettings([layer('user', approvals)])).toThrow('/user/settings.json');
});
