import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRunNotes, readRunNotes } from '../../src/recovery/run-notes';

const OWNER = { workerId: 'one', host: 'localhost', socket: '/run/one' };
const attempt = (token: string) => ({ token, workflowId: `workflow-${token}`, runId: 'run' });

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'everloop-notes-'))));
afterEach(() => rmSync(home, { recursive: true }));

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
  createRunNotes(home, OWNER).noteAttempt(attempt('a'));
  writeFileSync(join(home, 'run/one/attempts/torn'), '{"token":');

  expect(readRunNotes(home)[0]?.attempts).toEqual([attempt('a')]);
});

test('a Worker that was taken for dead and goes on takes notes again', () => {
  const notes = createRunNotes(home, OWNER);
  const forget = notes.noteAttempt(attempt('a'));
  rmSync(join(home, 'run/one'), { recursive: true });

  forget();
  notes.noteAttempt(attempt('b'));

  expect(readRunNotes(home)).toMatchObject([
    { owner: OWNER, attempts: [attempt('b')], workflowIds: ['workflow-b'] },
  ]);
});

test('a home without Workers has no notes', () => {
  expect(readRunNotes(join(home, 'nowhere'))).toEqual([]);
});
