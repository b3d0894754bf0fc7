// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { newKeyLine } from '../../src/encryption/encryption-key';
import { plainText } from '../support/histories';
import { call, calls, says } from '../support/replies';
import { withOrders, type Orders } from './orders';
import type { order, orderByName, orderTwice } from './workflows';

const LONG = 'apples '.repeat(100);

const start = <Answer>(
  { client, taskQueue }: Orders,
  name: string,
  ...args: readonly string[]
): Promise<WorkflowHandle<(...args: string[]) => Promise<Answer>>> =>
  client.workflow.start(name, { workflowId: `order-${randomUUID()}`, taskQueue, args: [...args] });

type Answered<Flow extends (...args: never[]) => unknown> = Awaited<ReturnType<Flow>>;

test('an agent is a step of somebody’s own Workflow: a preview comes back, the whole answer is read by reference', () =>
  withOrders({ script: [calls(call('Note', { text: 'a' })), says(LONG)] }, async (orders) => {
    const handle = await start<Answered<typeof order>>(orders, 'order', 'apples');
    const answer = await handle.result();

    expect(answer).toMatchObject({ reason: 'completed', isError: false, numTurns: 2 });
    expect(answer.preview).toBe(`${LONG.slice(0, 199)}…`);
    expect(answer.published).toBe(LONG);
  }));

test('the Workflow type alone is enough, under an id of the caller’s', () =>
  withOrders({ script: [says('12 pears.')] }, async (orders) => {
    const handle = await start<Answered<typeof orderByName>>(orders, 'orderByName', 'pears');

    expect(await handle.result()).toMatchObject({ preview: '12 pears.', reason: 'completed' });
  }));

test('with keys, their Workflows and the agent’s are encrypted, and a client with the plugin reads them', () =>
  withOrders(
    { script: [says('12 pears.')], env: { EVERLOOP_ENCRYPTION_KEYS: newKeyLine('a') } },
    async (orders) => {
      const handle = await start<Answered<typeof orderByName>>(orders, 'orderByName', 'pears');
      const answer = await handle.result();

      const { events } = await handle.fetchHistory();
      expect(answer).toMatchObject({ preview: '12 pears.' });
      expect(plainText(events ?? [])).toContain('binary/everloop');
      expect(plainText(events ?? [])).not.toContain('12 pears');
    },
  ));

test('a second task goes on with the conversation of the first', () =>
  withOrders({ script: [says('1.'), says('2.')] }, async (orders) => {
    const handle = await start<Answered<typeof orderTwice>>(orders, 'orderTwice');
    const [one, two] = await handle.result();

    expect(two?.sessionId).toBe(one?.sessionId);
    expect(orders.model.requests[1]?.body.messages).toHaveLength(3);
  }));
