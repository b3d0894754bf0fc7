// Needs: a Temporal server (started by the run).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveSession } from '../../../src/cli/live-session';
import { findTrouble } from '../../../src/client/session-trouble';
import { withDurable, type Durable } from '../../support/durable';
import { calls, fileIn, heldCommand, says } from '../../support/replies';
import { workflowBundle } from '../../support/workflow-bundle';

const BEGINNING = 'async function query(input) {';

/** The Workflows of a build in which every query begins with this line. */
async function buildWith(durable: Durable, line: string): Promise<string> {
  const code = readFileSync(await workflowBundle(), 'utf8');
  if (!code.includes(BEGINNING)) throw new Error(`The bundle has no "${BEGINNING}".`);
  const codePath = join(durable.home, 'broken-bundle.js');
  writeFileSync(codePath, code.replace(BEGINNING, `${BEGINNING} ${line}`));
  return codePath;
}

/** What a command sees of the session; it is served elsewhere. */
function commandFor({ session, store, client, agent }: Durable, lines: string[] = []): LiveSession {
  const connected = { client, agent, close: async () => undefined };
  return new LiveSession({
    session,
    place: store.place,
    connected: connected as unknown as ConstructorParameters<typeof LiveSession>[0]['connected'],
    worker: Promise.resolve(null),
    from: null,
    isOneShot: false,
    onEnd: async () => undefined,
    leave: () => undefined,
    isServed: async () => true,
    findTrouble: (workflowIds) => findTrouble(client, workflowIds),
    tell: (line) => lines.push(line),
  });
}

/** Reads on until there is nothing more to read, and resolves with the reason. */
async function failureOf(command: LiveSession): Promise<unknown> {
  try {
    const entries = command.follow(new AbortController().signal);
    while ((await entries.next()).done !== true);
  } catch (error) {
    return error;
  } finally {
    await command.close();
  }
  throw new Error('The session was followed to its end.');
}

test('a build whose Workflows throw is reported with a cure, and a repaired one goes on', () =>
  withDurable({ script: [says('Hello.')], isServed: false }, async (durable) => {
    await durable.serve({ codePath: await buildWith(durable, "throw new TypeError('a bug');") });
    const id = await durable.say('Hi');

    const failure = await failureOf(commandFor(durable));

    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /cannot go on with this build.*UNHANDLED_FAILURE: a bug\).*everloop --resume/,
      ) as string,
    });
    await durable.stopServing();
    await durable.serve();
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Hello.' });
  }));

test('a build that does not fit the history is reported as such, and the right one goes on', () =>
  withDurable(
    { script: [calls(heldCommand()), says('Done.')], isServed: false },
    async (durable) => {
      await durable.serve();
      const id = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      await durable.stopServing();
      await durable.serve({
        codePath: await buildWith(
          durable,
          'await new Promise((resolve) => setTimeout(resolve, 1));',
        ),
      });
      writeFileSync(join(durable.project, 'go'), '');

      const failure = await failureOf(commandFor(durable));

      expect(failure).toMatchObject({
        message: expect.stringContaining('NON_DETERMINISTIC_ERROR') as string,
      });
      await durable.stopServing();
      await durable.serve();
      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      expect(readFileSync(join(durable.project, 'runs'), 'utf8').trim().split('\n')).toHaveLength(
        1,
      );
    },
  ));

test('a session that works in silence is not reported', () =>
  withDurable({ script: [calls(heldCommand()), says('Done.')] }, async (durable) => {
    const lines: string[] = [];
    const command = commandFor(durable, lines);
    const leaving = new AbortController();
    const followed = (async () => {
      for await (const { entry } of command.follow(leaving.signal)) {
        if (entry.type === 'query_ended') break;
      }
    })();
    await durable.say('Work.');
    await fileIn(durable.project, 'started');
    // Longer than the command waits before it looks.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    writeFileSync(join(durable.project, 'go'), '');

    await followed;

    expect(lines).toEqual([]);
    leaving.abort();
    await command.close();
  }));
