import type { PrintCommand } from '../../src/cli/command';
import { parseCommand } from '../../src/cli/parse-command';
import { print } from '../../src/cli/print';
import type { QueryStarted } from '../../src/cli/session-past';
import { FakeSession, interrupted, queryEnded, queryStarted } from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json'];

/** A client that resumes a session in which an earlier one has left the prompt `p` unanswered. */
function resume(session: FakeSession) {
  session.unfinished = [queryStarted({ id: 'p' }) as QueryStarted];
  const world = new FakeSurroundings();
  const exit = print(parseCommand([...STREAM, '--resume=id'], '1.2.3') as PrintCommand, {
    ...world.of({ clientReadsState: true }),
    openSession: async () => session,
    run: RUN_OPTIONS,
  });
  world.control('r1', { subtype: 'initialize' });
  return { world, exit };
}

const shown = (world: FakeSurroundings): readonly unknown[] =>
  world.stdout.lines
    .filter(({ type }) => type !== 'control_response')
    .map(({ type, subtype, state }) => state ?? subtype ?? type);

test('a client that says nothing waits for the answer that an earlier one did not get', async () => {
  const session = new FakeSession();
  const { world, exit } = resume(session);
  world.stdin.end();
  await world.stdout.message(({ subtype }) => subtype === 'init');

  session.play(queryEnded('p', { result: 'Late.' }));

  expect(await exit).toBe(0);
  expect(shown(world)).toEqual(['running', 'init', 'success', 'idle']);
});

test('it may stop what it has not begun', async () => {
  const session = new FakeSession(undefined, (stopped) => {
    stopped.play(queryEnded('p', interrupted));
  });
  const { world, exit } = resume(session);
  await world.stdout.message(({ subtype }) => subtype === 'init');

  world.control('r2', { subtype: 'interrupt' });
  world.stdin.end();

  expect(await exit).toBe(1);
  expect(session.calls).toContain('interrupt');
});

test('a session that does not know yet of an end that the log has told is not waited for', async () => {
  const session = new FakeSession();
  let tellUnanswered: (ids: readonly string[]) => void = () => undefined;
  session.unanswered = () => new Promise((resolve) => (tellUnanswered = resolve));
  const { world, exit } = resume(session);
  world.stdin.end();
  await world.stdout.message(({ subtype }) => subtype === 'init');
  session.play(queryEnded('p'));
  await world.stdout.message(({ type }) => type === 'result');

  tellUnanswered(['p']);

  expect(await exit).toBe(0);
});
