// Needs: a Temporal server (started by the run). Between it and us lies a gateway that can be shut.
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { AgentClient } from '../../../src/client/agent-client';
import { SessionWatch } from '../../../src/cli/session-watch';
import { findTrouble } from '../../../src/client/session-trouble';
import { startWorker } from '../../../src/worker';
import { composeActivities } from '../../../src/worker-activities';
import { withDurable, type Durable } from '../../support/durable';
import { RUN_OPTIONS } from '../../support/fake-surroundings';
import { calls, fileIn, heldCommand, says } from '../../support/replies';
import { temporalAddress } from '../../support/temporal';
import { workflowBundle } from '../../support/workflow-bundle';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The way to the server. Shut, it is as if there were none: connections break and new ones are refused. */
class Gateway {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  async open(): Promise<string> {
    const [host = '', port = ''] = temporalAddress().split(':');
    const server = createServer((near) => {
      const far = connect(Number(port), host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy()).on('close', () => this.#sockets.delete(one));
        one.pipe(other);
      }
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    const address = server.address();
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return `127.0.0.1:${this.#port}`;
  }

  async shut(): Promise<void> {
    const closed = this.#server === undefined ? undefined : once(this.#server, 'close');
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }
}

/** How long the server is away. */
const AWAY_MS = Number(process.env['EVERLOOP_TEST_AWAY_MS'] ?? 6_000);

/** Serves the session through the gateway. */
async function behind(address: string, { config, session, store }: Durable) {
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const worker = await startWorker({
    config,
    connection,
    client,
    taskQueue: session.meta.taskQueue,
    store,
    version: '0.0.0',
    settings: { cli: null },
    environment: { PATH: process.env['PATH'] },
    workflowBundle: { codePath: await workflowBundle() },
    compose: composeActivities,
  });
  const limits = { idleMs: 60_000, rolloverEvents: 500, maxToolConcurrency: 10 };
  const agent = new AgentClient(client, store.place, limits);
  return {
    client,
    agent,
    worker,
    async close() {
      await worker.stop();
      await connection.close();
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test(
  'Worker and client wait for a server that is away, say so once, and go on',
  () =>
    withDurable(
      { script: [calls(heldCommand()), says('Done.'), says('More.')], isServed: false },
      async (durable) => {
        const gateway = new Gateway();
        const side = await behind(await gateway.open(), durable);
        const lines: string[] = [];
        let watch: SessionWatch | undefined;
        try {
          const first = await durable.say('Work.');
          await fileIn(durable.project, 'started');
          // A session that is silent for long is looked at less often: the watch begins with the trouble.
          watch = new SessionWatch({
            sessionId: durable.sessionId,
            look: () => findTrouble(side.client, [durable.sessionWorkflowId]),
            tell: (line) => lines.push(line),
            silentMs: 200,
          });
          await gateway.shut();
          writeFileSync(join(durable.project, 'go'), '');
          const message = { id: 'second', content: 'And?', submittedAt: '', options: RUN_OPTIONS };
          const submitted = side.agent.submit(durable.session, message, { isLast: false });
          await pause(AWAY_MS);
          while (lines.length < 1) await pause(100);
          await gateway.open();

          await submitted;
          expect(await durable.resultOf(first)).toMatchObject({ subtype: 'success' });
          while (lines.length < 2) await pause(100);
          expect(lines).toEqual([
            expect.stringContaining('The Temporal server does not answer.'),
            'The Temporal server answers again.',
          ]);
        } finally {
          watch?.stop();
          await gateway.open().catch(() => undefined);
          await side.close();
          await gateway.shut();
        }
      },
    ),
  // Connections are tried again after ever longer pauses.
  180_000,
);
