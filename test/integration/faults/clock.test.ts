// Needs: a Temporal server (started by the run); starts a Worker process whose clock is set while it works.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../../support/durable';
import { call, calls, fileIn, says } from '../../support/replies';
import { WorkerProcess } from '../../support/worker-process';

const HOUR_MS = 3_600_000;

/** Says that it runs, and goes on when `go` lies there. It may take ten minutes. */
const held = call('Bash', {
  command: 'rm -f go; touch started; until [ -e go ]; do sleep 0.02; done; echo went',
  timeout: 600_000,
});

/** Sets the Worker's clock while the command runs, and lets it run a while longer. */
async function setClock({ home, project }: Durable, shiftMs: number): Promise<void> {
  await fileIn(project, 'started');
  rmSync(join(project, 'started'));
  writeFileSync(join(home, 'clock'), String(shiftMs));
  await new Promise((resolve) => setTimeout(resolve, 500));
  writeFileSync(join(project, 'go'), '');
}

test('a clock that is set back by an hour and forward by a day changes nothing', () =>
  withDurable(
    {
      script: [calls(held), calls(held), calls(held), says('Done.'), says('More.')],
      isServed: false,
    },
    async (durable) => {
      const clock = join(durable.home, 'clock');
      const worker = await WorkerProcess.start(durable, {
        NODE_OPTIONS: `--require ${require.resolve('../../support/shifted-clock.cjs')}`,
        EVERLOOP_TEST_CLOCK: clock,
      });
      try {
        const id = await durable.say('Work.');
        for (const shiftMs of [-HOUR_MS, 24 * HOUR_MS, 0]) await setClock(durable, shiftMs);

        expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
        expect(await durable.ask('And now?')).toMatchObject({ result: 'More.' });

        const said = JSON.stringify(durable.requestMessages.at(-1));
        expect(said.match(/"content":"went"/g)).toHaveLength(3);
        const chain = await durable.transcript();
        expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([
          null,
          ...chain.slice(0, -1).map(({ uuid }) => uuid),
        ]);
        durable.model.assertConsumed();
        expect(durable.model.repeats).toBe(0);
      } finally {
        await worker.kill();
      }
    },
  ));
