import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { askRunningQuery } from '../../src/client/running-query';
import type { SessionStatus } from '../../src/workflows/interface';

/** Asks while the session names these queries, one after the other. `there`: which of them are at the server, and from
 *  the how-manieth asking on. */
function ask(named: readonly (string | null)[], there: Readonly<Record<string, number>>) {
  const names = [...named];
  let askings = 0;
  const look = async () => {
    const name = names.length > 1 ? names.shift() : names[0];
    const activeQuery = name == null ? null : { workflowId: name };
    return { activeQuery } as SessionStatus;
  };
  const client = { workflow: { getHandle: (workflowId: string) => ({ workflowId }) } };
  return askRunningQuery(client as unknown as Client, look, async ({ workflowId }) => {
    askings += 1;
    if (askings >= (there[workflowId] ?? Infinity)) return `answer of ${workflowId}`;
    throw new WorkflowNotFoundError('not found', workflowId, undefined);
  });
}

test.each<[string, (string | null)[], Record<string, number>, string]>([
  ['that runs answers', ['q1'], { q1: 1 }, 'answer of q1'],
  ['that the server is about to make is asked again', ['q1'], { q1: 3 }, 'answer of q1'],
  ['is not there where the session is idle', [null], {}, 'none'],
  ['that is gone when the session says so has ended', ['q1', 'q1', null], {}, 'ended'],
  ['that another has followed has ended', ['q1', 'q2'], { q2: 1 }, 'ended'],
])('a query %s', async (_what, named, there, answer) => {
  expect(await ask(named, there)).toBe(answer);
});

test('any other failure is told at once', async () => {
  const asked = askRunningQuery(
    { workflow: { getHandle: () => ({}) } } as unknown as Client,
    async () => ({ activeQuery: { workflowId: 'q1' } }) as SessionStatus,
    () => Promise.reject(new Error('no Worker')),
  );

  await expect(asked).rejects.toThrow('no Worker');
});
