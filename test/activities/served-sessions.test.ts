import { randomUUID } from 'node:crypto';
import { createServedSessions, type ServedSessions } from '../../src/activities/served-sessions';
import { sessionWorkflowId } from '../../src/transcript/place';
import { meta } from '../transcript/builders';
import type { LeaseOwner } from '../../src/transcript/store';
import { createFilePlace, type FilePlace } from '../transcript/file-place';
import { failureOf } from './fake-attempt';

let place: FilePlace;
let workflowId: string;
const living = new Set<string>();

beforeEach(async () => {
  place = createFilePlace();
  const store = await place.open();
  const { sessionId } = (await store.createSession(meta(place.cwd))).meta;
  workflowId = sessionWorkflowId(store.place, sessionId);
  living.clear();
});
afterEach(() => place.dispose());

/** The sessions that one process serves. */
async function process(
  workerId: string,
  queueOf?: (owner: LeaseOwner) => Promise<string | null>,
): Promise<ServedSessions> {
  living.add(workerId);
  return createServedSessions({
    store: await place.open(),
    owner: { workerId, host: 'localhost', socket: '/none' },
    isAlive: async (owner) => living.has(owner.workerId),
    queueOf,
  });
}

test('a session is opened once per process, whoever asks', async () => {
  const sessions = await process('a');

  const [one, other] = await Promise.all([sessions.serve(workflowId), sessions.serve(workflowId)]);
  const query = await sessions.serve(`${workflowId}-${randomUUID()}`);

  expect(other).toBe(one);
  expect(query).toBe(one);
});

test('a session that another living process serves is refused, to be tried again', async () => {
  await (await process('a')).serve(workflowId);

  const failure = await failureOf((await process('b')).serve(workflowId));

  expect(failure).toMatchObject({ type: 'Session.ServedElsewhere', nonRetryable: false });
  expect(failure.nextRetryDelay).toBe('1s');
});

test('who refuses a session says where its work can be taken to, if it knows', async () => {
  await (await process('a')).serve(workflowId);
  const queueOf = async ({ workerId }: LeaseOwner) => `queue of ${workerId}`;

  const known = await failureOf((await process('b', queueOf)).serve(workflowId));
  const unknown = await failureOf((await process('c', async () => null)).serve(workflowId));

  expect(known).toMatchObject({ type: 'Session.OnAnotherHost', details: ['queue of a'] });
  expect(unknown.type).toBe('Session.ServedElsewhere');
});

test('a session of a dead process is taken over', async () => {
  const before = await (await process('a')).serve(workflowId);
  living.delete('a');

  const after = await (await process('b')).serve(workflowId);

  expect(after.lease.epoch).toBe(before.lease.epoch + 1);
});

test('a process that was taken for dead serves its session again when its successor is gone', async () => {
  const stopped = await process('a');
  await stopped.serve(workflowId);
  living.delete('a');
  const successor = await process('b');
  await successor.serve(workflowId);
  living.add('a');

  const meanwhile = await failureOf(stopped.serve(workflowId));
  await successor.releaseAll();
  const after = await stopped.serve(workflowId);

  expect(meanwhile.type).toBe('Session.ServedElsewhere');
  expect(after.lease).toMatchObject({ epoch: 3, owner: { workerId: 'a' } });
});

test('a session that is in no store is refused for good, with the cure', async () => {
  const sessions = await process('a');

  const failure = await failureOf(sessions.serve(`00000000-${randomUUID()}`));

  expect(failure).toMatchObject({ type: 'Session.Unknown', nonRetryable: true });
  expect(failure.message).toContain('CLAUDE_CONFIG_DIR');
});
