import { keepThreads, shareWorkflows } from '../../src/temporal/shared-workflows';

const OF = { code: 'a', activityNames: ['read'] };

/** Notes which threads were begun and ended. */
function threadsOf(events: string[]) {
  return (name: string) => () => {
    events.push(`${name} begun`);
    return Promise.resolve({
      createWorkflow: () => Promise.reject(new Error('No Workflow here.')),
      destroy: async () => void events.push(`${name} ended`),
    });
  };
}

test('a thread ends with its last user', async () => {
  const events: string[] = [];
  const thread = threadsOf(events);

  const one = await shareWorkflows(OF, thread('first'));
  const other = await shareWorkflows({ ...OF, activityNames: [] }, thread('second'));
  await one.destroy();
  expect(events).toEqual(['first begun']);
  await other.destroy();

  expect(events).toEqual(['first begun', 'first ended']);
});

test('a kept thread waits for whoever comes next, until threads are kept no more', async () => {
  const events: string[] = [];
  const thread = threadsOf(events);

  const release = keepThreads();
  await (await shareWorkflows(OF, thread('first'))).destroy();
  const next = await shareWorkflows(OF, thread('second'));
  const other = await shareWorkflows({ ...OF, code: 'b' }, thread('third'));
  await next.destroy();
  await release();
  expect(events).toEqual(['first begun', 'third begun', 'first ended']);
  await other.destroy();

  expect(events.at(-1)).toBe('third ended');
});
