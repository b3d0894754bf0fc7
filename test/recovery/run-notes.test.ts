import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRunNotes, readRunNotes } from '../../src/recovery/run-notes';

const OWNER = { workerId: 'one', host: 'localhost', socket: '/run/one' };
const attempt = (token: string) => ({ token, workflowId: `workflow-${token}`, runId: 'run' });

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'everloop-notes-'))));
afterEach(() => rmSync(home, { recursive: true }));
const file = (): string => join(home, 'run/one.notes');

test('a Worker that is killed leaves its running attempts, and every Workflow it may have cached', () => {
  const notes = createRunNotes(home, OWNER);
  const forget = notes.noteAttempt(attempt('a'));
  notes.noteAttempt(attempt('b+='));
  forget();

  expect(readRunNotes(home)).toMatchObject([
    {
      owner: OWNER,
      attempts: [attempt('b+=')],
      workflowIds: ['workflow-a', 'workflow-b+='],
    },
  ]);
});

test('a Worker that leaves in order leaves nothing', () => {
  const notes = createRunNotes(home, OWNER);
  notes.noteAttempt(attempt('a'));

  notes.clear();

  expect(readRunNotes(home)).toEqual([]);
});

test('Workers of one home do not disturb each other', () => {
  const notes = createRunNotes(home, OWNER);
  createRunNotes(home, { ...OWNER, workerId: 'two' }).noteAttempt(attempt('b'));

  notes.clear();

  expect(readRunNotes(home)).toMatchObject([{ owner: { workerId: 'two' } }]);
});

test('a note that was cut off in the middle is passed over', () => {
  const notes = createRunNotes(home, OWNER);
  notes.noteAttempt(attempt('a'));
  notes.noteAttempt(attempt('b'));
  const whole = readFileSync(file(), 'utf8');

  writeFileSync(file(), whole.replace('"token":"b"', '"token":\n"b'));

  expect(readRunNotes(home)[0]?.attempts).toEqual([attempt('a')]);
});

test('every attempt that runs at the kill is left, in whatever order others have ended', () => {
  const notes = createRunNotes(home, OWNER);
  const forgets = ['a', 'b', 'c', 'd'].map((token) => notes.noteAttempt(attempt(token)));

  forgets[1]!();
  notes.noteAttempt(attempt('e'.repeat(1_000)));
  forgets[3]!();
  notes.noteAttempt(attempt('f'));

  const tokens = readRunNotes(home)[0]?.attempts.map(({ token }) => token);
  expect(tokens?.sort()).toEqual(['a', 'c', 'e'.repeat(1_000), 'f']);
});

test('a Worker that lives for long notes the Workflows that were active last', () => {
  const notes = createRunNotes(home, OWNER);
  for (let n = 0; n < 1_000; n += 1) {
    notes.noteAttempt(attempt('first'))();
    notes.noteAttempt(attempt(`${n}`))();
  }

  const workflowIds = readRunNotes(home)[0]!.workflowIds;

  expect(workflowIds).toHaveLength(256);
  expect(workflowIds).toEqual(
    expect.arrayContaining(['workflow-first', 'workflow-999', 'workflow-800']),
  );
  expect(statSync(file()).size).toBeLessThan(2 ** 21);
});

test('ids of the greatest length that Temporal allows have room', () => {
  const longest = {
    token: 't'.repeat(1_800),
    workflowId: 'w'.repeat(1_000),
    runId: 'r'.repeat(36),
  };

  createRunNotes(home, OWNER).noteAttempt(longest);

  expect(readRunNotes(home)[0]?.attempts).toEqual([longest]);
});

test('a Worker that was taken for dead and goes on takes notes again', () => {
  const notes = createRunNotes(home, OWNER);
  const forget = notes.noteAttempt(attempt('a'));
  rmSync(file());

  forget();
  notes.noteAttempt(attempt('b'));

  expect(readRunNotes(home)).toMatchObject([
    { owner: OWNER, attempts: [attempt('b')], workflowIds: ['workflow-b'] },
  ]);
});

test('a home without Workers has no notes', () => {
  expect(readRunNotes(join(home, 'nowhere'))).toEqual([]);
});
