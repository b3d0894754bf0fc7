import { isGrpcServiceError } from '@temporalio/client';
import { QUESTIONS } from './answers';
import type { PlayedSession } from './played-session';
import { untilSo } from './until';

/** How a session comes into a state, and out of it. */
export interface Situation {
  readonly name: string;
  /** For people. */
  readonly means: string;
  /** false: no host has its workspace. */
  readonly hasHost?: false;
  /** Resolves when the session is in it. */
  reach(session: PlayedSession): Promise<void>;
  /** Gives what it waits for. */
  release?(session: PlayedSession): Promise<void> | void;
}

const PROMPT = 'Go.';
const go = (session: PlayedSession): void => session.write('go');

/** A command runs. */
async function inTool(session: PlayedSession): Promise<void> {
  await session.say(PROMPT);
  await session.seen('started-first');
}

async function atGate(session: PlayedSession): Promise<void> {
  await session.say(PROMPT);
  await session.world.model.waitUntilHeld(session.name, { timeoutMs: 240_000 });
}

const openGate = ({ world, name }: PlayedSession): void => world.model.release(name);

async function asked(session: PlayedSession): Promise<void> {
  await session.whenQuery('asks', ({ questions }) => questions.length > 0);
}

async function answer(session: PlayedSession, updatedInput?: object): Promise<void> {
  const [first] = await session.agent.questions(session.sessionId);
  if (first === undefined) throw new Error(`${session.name} asks nothing any more.`);
  const { queryId, question } = first;
  await session.agent.answer(
    session.store,
    { queryId, call: question.call },
    {
      behavior: 'allow',
      by: 'operator',
      ...(updatedInput && { updatedInput: { ...updatedInput } }),
    },
  );
}

export const SITUATIONS: readonly Situation[] = [
  {
    name: 'workspace',
    means: 'no Worker of its workspace lives',
    hasHost: false,
    async reach(session) {
      await session.say(PROMPT);
      await session.whenQuery('waits', ({ waitingFor }) => waitingFor === 'workspace');
    },
  },
  {
    name: 'idle',
    means: 'waits for a message',
    async reach(session) {
      await session.resultOf(await session.say(PROMPT));
    },
  },
  {
    name: 'thinking',
    means: 'the model has not begun to answer',
    reach: atGate,
    release: openGate,
  },
  { name: 'speaking', means: 'the model is in mid-reply', reach: atGate, release: openGate },
  { name: 'tool', means: 'a command runs', reach: inTool, release: go },
  { name: 'batch', means: 'one call of three runs, two wait', reach: inTool, release: go },
  {
    name: 'permission',
    means: 'a call waits for permission',
    async reach(session) {
      await session.say(PROMPT, { permissionMode: 'default', asks: 'people' });
      await asked(session);
    },
    release: (session) => answer(session),
  },
  {
    name: 'question',
    means: 'a question waits for its answer',
    async reach(session) {
      await session.say(PROMPT, { asks: 'people' });
      await asked(session);
    },
    async release(session) {
      await answer(session, { ...QUESTIONS, answers: { 'Which one?': 'this' } });
    },
  },
  {
    name: 'paused',
    means: 'somebody has paused it',
    async reach(session) {
      await inTool(session);
      await session.agent.pause(session.sessionId);
      await session.whenQuery('knows that it is paused', ({ paused }) => paused);
      session.write('go');
      await session.whenQuery('is paused', ({ waitingFor }) => waitingFor === 'resume');
    },
    release: ({ agent, sessionId }) => agent.resume(sessionId),
  },
  {
    name: 'budget',
    means: 'its limit is reached',
    async reach(session) {
      await session.say(PROMPT, { maxTurns: 1, onBudget: 'pause' });
      await session.whenQuery('is at its limit', ({ waitingFor }) => waitingFor === 'budget');
    },
    async release({ agent, sessionId }) {
      await agent.change(sessionId, { maxTurns: 40 });
    },
  },
  {
    name: 'sleeping',
    means: 'the agent sleeps for an hour',
    async reach(session) {
      await session.say(PROMPT);
      await untilSo(`${session.name} sleeps`, () => hasTimer(session));
    },
    async release(session) {
      await session.say('Wake up.');
    },
  },
  {
    name: 'compacting',
    means: 'the conversation is being summed up',
    reach: atGate,
    release: openGate,
  },
  {
    name: 'agents',
    means: 'two sub-agents work, a command each',
    async reach(session) {
      await session.say(PROMPT);
      for (const part of ['one', 'two']) await session.seen(`started-${part}`);
    },
    release: go,
  },
  {
    name: 'shell',
    means: 'a background shell runs',
    async reach(session) {
      await session.resultOf(await session.say(PROMPT));
      await session.seen('shell-pid');
    },
  },
  {
    name: 'stopped',
    means: 'was stopped in mid-command, has ended',
    async reach(session) {
      await inTool(session);
      await session.agent.stop(session.sessionId);
      await untilSo(
        `${session.name} ends`,
        async () => !(await session.agent.isRunning(session.sessionId)),
      );
    },
  },
  {
    name: 'interrupted',
    means: 'was interrupted, waits for a message',
    async reach(session) {
      await inTool(session);
      await session.agent.interrupt(session.sessionId, 'user');
      await session.resultOf(session.firstPrompt);
    },
  },
  {
    name: 'steered',
    means: 'a command runs, two messages wait',
    async reach(session) {
      await inTool(session);
      for (const message of ['Also this.', 'And that.']) await session.say(message);
      await session.whenQuery('knows of both', ({ waiting }) => waiting.length === 2);
    },
    release: go,
  },
  {
    name: 'rollover',
    means: 'a command runs, the run rolls over behind it',
    reach: inTool,
    release: go,
  },
  {
    name: 'retrying',
    means: 'the model is overloaded, the call is retried',
    async reach(session) {
      await session.say(PROMPT);
      // Who is refused holds the others, which ask when the pause is over.
      await untilSo(`${session.name} or another one is refused`, () =>
        [...session.world.playing.asked.keys()].some(
          (name) => copiesOf(name) === copiesOf(session.name),
        ),
      );
      await session.whenQuery('waits to ask', () => true);
    },
    release: ({ world, name }) => void world.playing.released.add(name),
  },
];

/** What the names of a state's copies have in common. */
const copiesOf = (name: string): string => name.replace(/-\d+-of-/, '-of-');

const NOT_FOUND = 5;

function nothingYet(error: unknown): { readonly events?: null } {
  if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return {};
  throw error;
}

async function hasTimer({ world, workflowId, firstPrompt }: PlayedSession): Promise<boolean> {
  const handle = world.client.workflow.getHandle(`${workflowId}-${firstPrompt}`);
  // Its session has the message, and may not have begun the query.
  const { events } = await handle.fetchHistory().catch(nothingYet);
  return events?.some(({ timerStartedEventAttributes: timer }) => timer != null) ?? false;
}

/** undefined: all.
 *  Fails: Error that names those there are. */
export function situationsNamed(names: readonly string[] | undefined): readonly Situation[] {
  return (
    names?.map((wanted) => {
      const found = SITUATIONS.find(({ name }) => name === wanted);
      if (found !== undefined) return found;
      const all = SITUATIONS.map(({ name }) => name).join(', ');
      throw new Error(`There is no state "${wanted}". Take some of: ${all}.`);
    }) ?? SITUATIONS
  );
}
