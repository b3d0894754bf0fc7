import { MORE } from './answers';
import { recordedOf } from './histories';
import { PlayedSession } from './played-session';
import type { Situation } from './situations';
import type { World } from './world';
import { untilSo } from './until';

/** Where sessions of `workspace` wait, and where they are moved. */
const NOWHERE = 'three';
export const HOSTS = ['one', 'two'] as const;
/** Not all at once: two cores serve them. */
const AT_A_TIME = 8;

/** What a session left, and how it went. */
export interface Played {
  readonly situation: string;
  readonly name: string;
  readonly conversation: readonly string[];
  /** Lines that its commands appended. */
  readonly effects: readonly string[];
  /** What clients were told at the end of both prompts. */
  readonly results: readonly string[];
  readonly requests: number;
  /** From the moment when it got what it waited for to the end of its query. */
  readonly endedMs: number;
  readonly faults: readonly string[];
  readonly timedOutTasks: number;
  readonly runs: number;
}

export interface Upgrade {
  readonly name: string;
  readonly situations: readonly Situation[];
  readonly copies: number;
  /** Between reaching the states and leaving them; null: nothing happens. */
  readonly replace: (() => Promise<void>) | null;
  /** Before the last turns. */
  readonly settle?: () => Promise<void>;
  readonly nextBuildId?: () => string;
}

/** Brings sessions into every state, replaces their Workers, lets them end their turns and take another one. */
export async function play(world: World, upgrade: Upgrade): Promise<readonly Played[]> {
  const { situations, copies, replace, settle } = upgrade;
  const sessions = await Promise.all(
    situations.flatMap((situation) =>
      Array.from({ length: copies }, async (_none, index) => ({
        situation,
        session: await PlayedSession.create(world, {
          situation: situation.name,
          name: `session-${situation.name}-${index + 1}-of-${upgrade.name}`,
          workspace: situation.hasHost === false ? NOWHERE : (HOSTS[index % 2] ?? NOWHERE),
        }),
      })),
    ),
  );
  await reachAll(sessions);
  await replace?.();

  const ends = await Promise.all(sessions.map(leave));
  await settle?.();
  const lasts = await inTurns(sessions, async ({ session }) => {
    const lastPrompt = await session.say(MORE);
    return { lastPrompt, result: (await session.resultOf(lastPrompt)).result };
  });
  const played = await inTurns(sessions, async ({ situation, session }, index) => {
    const [end, last] = [ends[index], lasts[index]];
    if (end === undefined || last === undefined) throw new Error('unreachable');
    const nextBuildId = upgrade.nextBuildId?.() ?? null;
    const recorded = await recordedOf(world, session, { lastPrompt: last.lastPrompt, nextBuildId });
    return {
      situation: situation.name,
      name: session.name,
      conversation: await session.conversation(),
      effects: session
        .read('runs')
        .split('\n')
        .filter((line) => line !== '')
        .sort(),
      results: [end.result, String(last.result)],
      requests: world.playing.asked.get(session.name) ?? 0,
      endedMs: end.endedMs,
      timedOutTasks: recorded.timedOutTasks,
      runs: recorded.runs,
      faults: [
        ...recorded.failedRuns,
        ...recorded.failedTasks,
        ...(replace !== null && !recorded.isLastOnNext
          ? ['its last turn ran on the old build']
          : []),
        ...faultOfShell(situation, session),
      ],
    };
  });
  await inTurns(sessions, ({ session }) => end(session));
  return played;
}

interface Staged {
  readonly situation: Situation;
  readonly session: PlayedSession;
}

/** Those that take long to be reached begin first; a refusal of the model holds all of its users, so that is last. */
async function reachAll(sessions: readonly Staged[]): Promise<void> {
  const isSlow = ({ situation }: Staged): boolean => situation.hasHost === false;
  const refuses = ({ situation }: Staged): boolean => situation.name === 'retrying';
  const slow = Promise.all(sessions.filter(isSlow).map(reach));
  const others = sessions.filter((one) => !isSlow(one) && !refuses(one));
  await Promise.all([slow, inTurns(others, reach)]);
  await Promise.all(sessions.filter(refuses).map(reach));
}

const reach = ({ situation, session }: Staged): Promise<void> => situation.reach(session);

/** Gives it what it waits for; resolves when its first query has ended. */
async function leave({ situation, session }: Staged) {
  const begunAtMs = performance.now();
  if (situation.hasHost === false) await move(session, HOSTS[0]);
  await situation.release?.(session);
  const { result } = await session.resultOf(session.firstPrompt);
  return { result: String(result), endedMs: performance.now() - begunAtMs };
}

/** As `everloop workspace move` does it. */
async function move(session: PlayedSession, to: string): Promise<void> {
  const { world, store, agent, sessionId } = session;
  const workers = await world.workers();
  const there = workers.find(({ workspace, hasLeft }) => workspace.name === to && !hasLeft);
  if (there === undefined) throw new Error(`No Worker serves ${to}.`);
  await agent.change(sessionId, { workspace: there.workspace });
  await world.host(to).store.workers?.moveSession(store.meta.sessionId, {
    from: store.meta.workspace ?? null,
    to,
  });
}

function faultOfShell(situation: Situation, session: PlayedSession): readonly string[] {
  if (situation.name !== 'shell') return [];
  try {
    process.kill(Number(session.read('shell-pid')), 0);
    return [];
  } catch {
    return ['its background shell is gone'];
  }
}

async function end({ agent, sessionId, name }: PlayedSession): Promise<void> {
  await agent.stop(sessionId);
  await untilSo(`${name} ends`, async () => !(await agent.isRunning(sessionId)));
}

async function inTurns<One, Result>(
  all: readonly One[],
  act: (one: One, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const turn = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const one = all[index];
      if (one !== undefined) results[index] = await act(one, index);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, turn));
  return results;
}
