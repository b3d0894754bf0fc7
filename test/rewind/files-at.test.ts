import { filesAt } from '../../src/checkpoints/files-at';
import type { RewindPoint } from '../../src/checkpoints/rewind-point';
import type { FileState, LedgerEvent } from '../../src/transcript/file-history';

const state = (digest: string): FileState => ({ digest, mode: 0o644 });
const call = (recordId: string) => ({ id: `call of ${recordId}`, recordId });

function changed(recordId: string, path: string, before: FileState, after: FileState): LedgerEvent {
  const change = { path, root: '/w', before, after, madeFolder: null };
  return { type: 'change', call: call(recordId), change };
}

const result = (recordId: string): LedgerEvent => ({ type: 'result', call: call(recordId) });
const found = (at: string, path?: string, now: FileState = null): LedgerEvent => ({
  type: 'found',
  found: { at, files: path === undefined ? [] : [{ path, state: now }] },
});

const behind = (...kept: readonly string[]): RewindPoint => ({
  leaf: kept.at(-1) ?? null,
  kept: new Set(kept),
  message: null,
  name: '',
});
const before = (message: string, ...kept: readonly string[]): RewindPoint => ({
  ...behind(...kept),
  message,
});

const statesAt = (events: readonly LedgerEvent[], point: RewindPoint) =>
  Object.fromEntries(filesAt(events, point).map(({ path, state: then }) => [path, then]));

const [v0, v1, v2, mine] = [state('v0'), state('v1'), state('v2'), state('mine')];
const EVENTS = [
  changed('r1', '/w/a', v0, v1),
  result('r1'),
  found('m2'),
  changed('r2', '/w/a', v1, v2),
  result('r2'),
  changed('r3', '/w/new', null, v1),
  result('r3'),
];

test.each<[string, RewindPoint, Record<string, FileState>]>([
  ['the beginning', behind(), { '/w/a': v0, '/w/new': null }],
  ['behind the first call', behind('p1', 'r1'), { '/w/a': v1, '/w/new': null }],
  ['before the second message', before('m2', 'p1', 'r1'), { '/w/a': v1, '/w/new': null }],
  ['between two calls', behind('p1', 'r1', 'm2', 'r2'), { '/w/a': v2, '/w/new': null }],
  ['the end', behind('p1', 'r1', 'm2', 'r2', 'r3'), { '/w/a': v2, '/w/new': v1 }],
])('files at %s', (_, point, expected) => {
  expect(statesAt(EVENTS, point)).toEqual(expected);
});

test('what somebody else made of a file before a message is given back with it', () => {
  const events = [
    changed('r1', '/w/a', v0, v1),
    result('r1'),
    found('m2', '/w/a', mine),
    changed('r2', '/w/a', mine, v2),
  ];

  expect(statesAt(events, before('m2', 'r1'))).toEqual({ '/w/a': mine });
  expect(statesAt(events, behind('r1'))).toEqual({ '/w/a': v1 });
});

test('what a command made of a file belongs to the turn of the command', () => {
  const events = [
    changed('r1', '/w/a', v0, v1),
    result('r1'),
    found('r2', '/w/a', mine),
    result('r2'),
    changed('r3', '/w/a', mine, v2),
    result('r3'),
  ];

  expect(statesAt(events, behind('r1'))).toEqual({ '/w/a': v1 });
  expect(statesAt(events, behind('r1', 'r2'))).toEqual({ '/w/a': mine });
});

test('changes of a branch that was left are undone by a rewind behind it, and kept by one after it', () => {
  const events = [
    changed('r1', '/w/a', v0, v1),
    result('r1'),
    changed('left', '/w/b', null, v1),
    result('left'),
    found('m3'),
    changed('r3', '/w/a', v1, v2),
    result('r3'),
  ];

  expect(statesAt(events, behind('r1'))).toEqual({ '/w/a': v1, '/w/b': null });
  expect(statesAt(events, before('m3', 'r1'))).toEqual({ '/w/a': v1, '/w/b': v1 });
});
