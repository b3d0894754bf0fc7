import { summarizeToolUse } from '../../src/activities/summarize-tool-use';
import type { Reply } from '../../src/scripted-model/reply';
import { bash, called, run, type Called } from './run-tool/called';
import { messagesOf } from './requests';

let at: Called;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;

/** A batch that has run, and what the small model says to it. */
async function batch(label: Reply): Promise<ReturnType<Called['worker']>> {
  at = await called([say('Let me look around.'), bash(`echo ${'long '.repeat(200)}`)], {
    replies: [label],
  });
  await run(at, at.worker(), { mode: 'bypassPermissions' });
  return at.worker();
}

const summarized = (worker: ReturnType<Called['worker']>) =>
  summarizeToolUse(worker.deps, at.said.attempt('label'), { calls: at.calls });

test('a small model writes a label for people, who are told which calls it is for', async () => {
  const worker = await batch({ content: [say(' Looked around \n')] });

  const label = await summarized(worker);

  expect(label).toBe('Looked around');
  expect(at.model.requests.at(-1)?.body).toMatchObject({ model: 'claude-haiku-4-5' });
  expect((await worker.log()).at(-1)).toMatchObject({
    type: 'tool_use_summary',
    summary: 'Looked around',
    toolUseIds: [at.calls[0]?.id],
  });
  expect(JSON.stringify(await worker.transcript())).not.toContain('Looked around');
});

test('the model is told what was said, called and answered, each of it cut short', async () => {
  const worker = await batch({ content: [say('Looked around')] });

  await summarized(worker);

  const content = JSON.stringify(messagesOf(at, -1));
  expect(content).toMatch(/Let me look around\..*Bash.*echo long/);
  expect(content.length).toBeLessThan(900);
});

test.each<[string, Reply]>([
  ['no text', { content: [] }],
  ['nothing but white space', { content: [say(' \n')] }],
])('%s is no label', async (_what, reply) => {
  const worker = await batch(reply);

  expect(await summarized(worker)).toBeNull();
  expect((await worker.log()).filter(({ type }) => type === 'tool_use_summary')).toEqual([]);
});
