import type { SessionStore } from '../../../src/transcript/store';
import * as build from '../builders';
import type { StorePlace } from './given';

const SESSIONS = 4;
const TURNS = 20;
const FOLLOWERS = 3;

/** Writers and followers of several sessions at once, each with a store of its own; then everything is read again
 *  and is there once, in order. */
export async function expectAllUnderLoad(place: StorePlace): Promise<void> {
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () =>
      (await place.open()).createSession(build.meta(place.cwd)),
    ),
  );
  const following = sessions.flatMap((session) =>
    Array.from({ length: FOLLOWERS }, async () => {
      const opened = await (await place.open()).openSession(session.meta.sessionId);
      return follow(opened!);
    }),
  );
  const written = await Promise.all(sessions.map(write));

  const reader = await place.open();
  for (const [index, session] of sessions.entries()) {
    const again = await reader.openSession(session.meta.sessionId);
    await expectWhole(again!, written[index]!);
  }
  for (const followed of await Promise.all(following)) expect(followed).toEqual(turns);
}

const turns = Array.from({ length: TURNS }, (_, turn) => turn);
const callOf = (turn: number) => ({ id: `call ${turn}`, recordId: `record ${turn}` });

/** Returns the uuids of the records, in order. */
async function write(session: SessionStore): Promise<readonly string[]> {
  const lease = await session.acquireLease(build.owner('writer'), build.alive);
  const written: string[] = [];
  for (const turn of turns) {
    const records = build.chainOf(3, written.at(-1) ?? null);
    const call = callOf(turn);
    await session.ledger.recordIntent(lease, call, { tool: 'Bash', attempt: 1, at: '' });
    await Promise.all([
      session.append(lease, `turn ${turn}`, records),
      session.log.append(lease, [build.retry(turn)]),
      session.ledger.recordResult(lease, call, build.callResult(`result ${turn}`)),
      session.ledger.recordFailure(lease, 'model', { status: 529, error: String(turn), at: '' }),
      session.writeDocument(lease, 'state', { turn }),
      session.putMessage({ ...build.message('hello'), id: `message-${turn}` }),
    ]);
    written.push(...build.uuids(records));
  }
  return written;
}

async function follow(session: SessionStore): Promise<readonly number[]> {
  const entries = session.log.follow(null, new AbortController().signal);
  return (await build.take(entries, TURNS)).map(({ entry }) => build.attemptOf(entry));
}

async function expectWhole(session: SessionStore, written: readonly string[]): Promise<void> {
  expect(build.uuids(await session.chain(written.at(-1)!))).toEqual(written);
  const logged = [];
  for await (const { entry } of session.log.read()) logged.push(build.attemptOf(entry));
  expect(logged).toEqual(turns);
  const failures = await session.ledger.failures('model');
  expect(failures.map(({ error }) => Number(error))).toEqual(turns);
  const events = await session.ledger.events();
  expect(events.map(({ type }) => type)).toEqual(turns.flatMap(() => ['intent', 'result']));
  expect(await session.readDocument('state')).toEqual({ turn: TURNS - 1 });
  for (const turn of turns) expect(await session.findMessage(`message-${turn}`)).toBeDefined();
}
