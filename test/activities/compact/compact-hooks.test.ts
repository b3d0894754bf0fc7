import { answers, decides, heard, hookUp, listens, objects } from '../hooked';
import { contentOf } from '../contents';
import { lastTextsOf } from '../requests';
import {
  compacted,
  contextAfter,
  conversed,
  rounds,
  SUMMARY,
  text,
  type Conversed,
} from './conversed';

let at: Conversed;
afterEach(() => at.close());

async function hooked(hooks: Parameters<typeof hookUp>[1]) {
  at = await conversed(rounds(1), [SUMMARY]);
  await hookUp(at, hooks);
  return at.worker();
}

test.each([
  ['exit code 2', objects('Not now.')],
  ['a decision', answers({ decision: 'block', reason: 'Not now.' })],
])('a PreCompact hook refuses by %s: nothing is asked and nothing changes', async (_by, hook) => {
  const worker = await hooked({ PreCompact: hook });

  const outcome = await compacted(at, worker);

  expect(outcome).toEqual({ type: 'refused', messages: { leaf: at.leaf, pending: [] } });
  expect(at.model.requests).toHaveLength(1);
  expect((await worker.log()).slice(-2)).toMatchObject([
    { type: 'notice', text: 'A hook refused the compaction: Not now.' },
    { type: 'status', status: null },
  ]);
});

test('what a PreCompact hook prints are instructions for the summary', async () => {
  const worker = await hooked({ PreCompact: 'cat > /dev/null; echo Keep the names.' });

  await compacted(at, worker);

  expect(lastTextsOf(at, -1).at(-1)).toMatch(/Further instructions.*\n\nKeep the names\.$/);
});

test('hooks are told what is compacted for whom, and then the summary', async () => {
  const worker = await hooked({
    PreCompact: listens('before'),
    PostCompact: listens('after'),
    SessionStart: listens('start'),
  });

  await compacted(at, worker, { trigger: 'reactive' });
  await compacted(at, worker, { trigger: 'auto' });

  expect(await heard(at, 'before')).toMatchObject([{ trigger: 'auto', custom_instructions: null }]);
  expect(await heard(at, 'after')).toMatchObject([
    { trigger: 'auto', compact_summary: 'Ann greets.' },
  ]);
  expect(await heard(at, 'start')).toMatchObject([{ source: 'compact' }]);
});

test('what SessionStart hooks have to say stands behind the summary', async () => {
  const additionalContext = 'The user is Ann.';
  const worker = await hooked({ SessionStart: decides('SessionStart', { additionalContext }) });

  const records = await contextAfter(worker, await compacted(at, worker));

  expect(records.slice(2).map(contentOf)).toEqual([
    [text(`<system-reminder>\n${additionalContext}\n</system-reminder>`)],
  ]);
});
