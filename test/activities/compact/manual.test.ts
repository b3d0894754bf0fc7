import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ask } from '../call-model/asked';
import { contentOf } from '../contents';
import type { GivenWorker, Said } from '../given';
import { END_TURN, finish, resultsOf } from '../finish-query/ended';
import { lastTextsOf } from '../requests';
import {
  badRequest,
  compacted,
  contextAfter,
  conversed,
  rounds,
  says,
  SUMMARY,
  type Conversed,
} from './conversed';
import { given } from '../given';

let at: Conversed;
afterEach(() => at.close());

/** The user's command, as far as the Workflow's next step. */
async function command(
  worker: GivenWorker,
  words: string,
): Promise<{ readonly said: Said; readonly leaf: string; readonly type: string }> {
  const said = await worker.say(words);
  const { type, ...outcome } = await ask(worker, said, said.attempt('ask'), { leaf: at.leaf });
  return { said, type, leaf: 'leaf' in outcome ? outcome.leaf : '' };
}

const manual = { trigger: 'manual' } as const;

test('/compact asks for no reply, and what stands behind it reaches the summary request', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const worker = at.worker();

  const { said, type, leaf } = await command(worker, '/compact keep the file names');
  await compacted(at, worker, { ...manual, leaf, attempt: said.attempt('compact') });

  expect(type).toBe('compact_command');
  expect(lastTextsOf(at, -1).at(-1)).toMatch(/Further instructions.*\n\nkeep the file names$/);
  expect(lastTextsOf(at, -1)).toHaveLength(1);
});

test('what a file or the day has to say does not come between the command and its instructions', async () => {
  at = await conversed(
    [
      [
        'Read',
        { content: [{ type: 'tool_use', name: 'Read', input: { file_path: 'a.txt' } }] },
        says('Done.'),
      ],
    ],
    [SUMMARY],
    ({ workspace }) => writeFile(path.join(workspace, 'a.txt'), 'one'),
  );
  await writeFile(path.join(at.workspace, 'a.txt'), 'changed');
  const worker = at.worker();

  const { said, leaf } = await command(worker, '/compact keep the file names');
  await compacted(at, worker, { ...manual, leaf, attempt: said.attempt('compact') });

  expect(leaf).toBe(said.id);
  expect(lastTextsOf(at, -1).at(-1)).toContain('keep the file names');
});

test('after a command the agent waits for the user, and the result is empty', async () => {
  at = await conversed(rounds(1), [SUMMARY]);
  const worker = at.worker();
  const { said, leaf } = await command(worker, '/compact');

  const outcome = await compacted(at, worker, { ...manual, leaf, attempt: said.attempt('c') });

  const records = await contextAfter(worker, outcome);
  expect(records[0]).toMatchObject({ compactMetadata: { trigger: 'manual' } });
  expect(JSON.stringify(contentOf(records[1] ?? {}))).not.toContain('Go on with the work');
  const messages = { leaf: records.at(-1)?.uuid ?? '', pending: [] };
  await finish(at, worker, said.attempt('end'), { messages, terminal: END_TURN });
  expect(await resultsOf(worker)).toMatchObject([{ subtype: 'success', result: '' }]);
});

test('where there is nothing to compact the user is told, and nothing is asked', async () => {
  const base = await given();
  const worker = base.worker();
  const said = await worker.say('/compact');
  at = { ...base, said, leaf: said.id };
  await ask(worker, said);

  const outcome = await compacted(at, worker, manual);

  expect(outcome.type).toBe('refused');
  expect((await worker.transcript()).at(-1)).toMatchObject({
    isApiErrorMessage: true,
    message: { content: [{ text: 'There is nothing to compact yet.' }] },
  });
  expect(at.model.requests).toEqual([]);
});

test('a command that fails is answered with what went wrong', async () => {
  at = await conversed(rounds(1), [badRequest(), badRequest()]);
  const worker = at.worker();
  const { said, leaf } = await command(worker, '/compact');

  const outcome = await compacted(at, worker, { ...manual, leaf, attempt: said.attempt('c') });

  const told = (await worker.transcript()).at(-1);
  expect(outcome).toMatchObject({ type: 'failed', messages: { leaf: told?.uuid } });
  expect(JSON.stringify(told && contentOf(told))).toContain('could not be summarised: No.');
});
