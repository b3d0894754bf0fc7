// Needs: a Temporal server (started by the run).
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryStatus } from '../../src/workflows/interface';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';

const TURNS = 3;

/** What a Worker answers about the session and its query, from its cache or after it has replayed them, as soon as
 *  the query has heard of the message that waits. */
async function statesOf(durable: Durable, id: string): Promise<unknown> {
  for (;;) {
    const session = await durable.agent.status(durable.sessionId);
    const query = await durable.queryHandle(id).query(queryStatus);
    if (query.waiting.length > 0) return { session, query };
  }
}

test.each([
  ['a run from its beginning', 500],
  ['runs that were rolled over', 1],
])(
  'a Worker that replays %s holds the State of the one that lived through it',
  (_what, rolloverEvents) =>
    withDurable(
      {
        script: [
          says('Before.'),
          ...Array.from({ length: TURNS }, (_, index) =>
            calls(text('On.'), call('Glob', { pattern: '*' }), heldCommand(`go${index + 1}`)),
          ),
          says('Done.'),
        ],
        rolloverEvents,
      },
      async (durable) => {
        await durable.ask('First.');
        const id = await durable.say('Work.');
        for (let turn = 1; turn <= TURNS; turn += 1) {
          await fileIn(durable.project, 'started');
          rmSync(join(durable.project, 'started'));
          await durable.say(`Steering ${turn}.`);
          const lived = await statesOf(durable, id);
          await durable.stopServing();
          await durable.serve();

          expect(await statesOf(durable, id)).toEqual(lived);
          writeFileSync(join(durable.project, `go${turn}`), '');
        }
        expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      },
    ),
);
