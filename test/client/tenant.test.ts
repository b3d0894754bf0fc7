// Needs: a Temporal server (started by the run).
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';

/** Fairness key of each Workflow of the session, and of each task of an Activity that a Worker was given. */
async function keysOf({ client, sessionWorkflowId, sessionHandle }: Durable, query: string) {
  const queryHandle = client.workflow.getHandle(`${sessionWorkflowId}-${query}`);
  const described = await Promise.all([sessionHandle.describe(), queryHandle.describe()]);
  const { events } = await queryHandle.fetchHistory();
  const scheduled = (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes ?? [],
  );
  return {
    workflows: described.map(({ priority }) => priority?.fairnessKey),
    activities: scheduled.map(({ priority }) => priority?.fairnessKey),
  };
}

const script = [calls(call('Bash', { command: 'true' })), says('Done.')];

test('session and query have the key of their tenant, and Activities inherit it', () =>
  withDurable({ script, tenant: 'blue' }, async (durable) => {
    const id = await durable.say('Work.');
    await durable.resultOf(id);

    const { workflows, activities } = await keysOf(durable, id);

    expect(workflows).toEqual(['blue', 'blue']);
    // Said once, by the Workflow: not again in each event.
    expect(activities.length).toBeGreaterThan(2);
    expect(new Set(activities)).toEqual(new Set([undefined]));
  }));

test('without a tenant nothing is said', () =>
  withDurable({ script }, async (durable) => {
    const id = await durable.say('Work.');
    await durable.resultOf(id);

    const { workflows } = await keysOf(durable, id);

    expect(workflows).toEqual([undefined, undefined]);
  }));
