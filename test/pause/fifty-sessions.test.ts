// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { inTurns } from '../../src/cli/operator/in-turns';
import { pause } from '../../src/cli/operator/pause';
import { queryWorkflowId } from '../../src/loop/workflow-id';
import { sessionWorkflowId } from '../../src/transcript/place';
import type { SessionStore } from '../../src/transcript/store';
import { withDurable, type Durable } from '../support/durable';
import { RUN_OPTIONS } from '../support/fake-surroundings';
import { operate, parsedAs } from '../support/operator-world';
import { whenStatus, waitsFor } from '../support/query-status';
import { call, calls, says } from '../support/replies';

const FIFTY = 50;
const LOOK_AGAIN_MS = 50;
/** A hundred Workflows in one process. */
const FOR_ALL_MS = 600_000;
const QUERY = 'WorkflowType = "query"';

interface Working {
  readonly session: SessionStore;
  readonly promptId: string;
}

async function say({ agent }: Durable, session: SessionStore, content: string): Promise<string> {
  const id = randomUUID();
  const message = { id, content, submittedAt: new Date().toISOString(), options: RUN_OPTIONS };
  await agent.submit(session, message, { isLast: true });
  return id;
}

/** Another session of the same home and Worker, at work. */
async function startSession(durable: Durable): Promise<Working> {
  const { store, session: one } = durable;
  const session = await store.createSession({ ...one.meta, sessionId: randomUUID() });
  return { session, promptId: await say(durable, session, 'Wait for me.') };
}

const queryOf = ({ client, store }: Durable, { session, promptId }: Working) =>
  client.workflow.getHandle(
    queryWorkflowId(sessionWorkflowId(store.place, session.meta.sessionId), promptId),
  );

/** The list of the server is a moment behind. */
async function listed({ client, store }: Durable): Promise<void> {
  const query = `WorkflowId STARTS_WITH '${sessionWorkflowId(store.place, '')}' AND ${QUERY}`;
  while ((await client.workflow.count(query)).count < FIFTY) await wait(LOOK_AGAIN_MS);
}

test(
  'fifty sessions are paused by one query, wait before their second turn, and are resumed by one query',
  () =>
    withDurable(
      {
        // No process has to live for a sleep, and a message ends it.
        script: [
          ...Array.from({ length: FIFTY }, () => calls(call('Sleep', { duration_ms: 3_600_000 }))),
          ...Array.from({ length: FIFTY }, () => says('Done.')),
        ],
      },
      async (durable) => {
        const working = await inTurns(Array.from({ length: FIFTY }), () => startSession(durable));
        const queries = working.map((one) => queryOf(durable, one));
        await listed(durable);
        await durable.model.waitForRequest(FIFTY - 1, { timeoutMs: FOR_ALL_MS });

        const paused = await operate(durable, parsedAs('pause', 'pause', QUERY), pause);
        await inTurns(working, ({ session }) => say(durable, session, 'Here I am.'));
        await inTurns(queries, (query) => whenStatus(query, waitsFor('resume')));
        expect(paused.exitCode).toBe(0);
        expect(paused.text.match(/is held before its next turn/g)).toHaveLength(FIFTY);
        expect(durable.model.requests).toHaveLength(FIFTY);

        const resumed = await operate(durable, parsedAs('resume', 'resume', QUERY), pause);
        await Promise.all(queries.map((query) => query.result()));
        expect(resumed.text.match(/goes on/g)).toHaveLength(FIFTY);
        expect(durable.requestMessages.at(-1)).toMatchObject([{}, {}, { role: 'user' }]);
        durable.model.assertConsumed();
      },
    ),
  FOR_ALL_MS,
);
