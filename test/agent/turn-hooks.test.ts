// Needs: a Temporal server (started by the run).
import { ApplicationFailure } from '@temporalio/common';
import type { AgentHooks, AgentTurn } from '../../src/agent/agent-hooks';
import type { Durable } from '../support/durable';
import { eventsOf, payloadsOf, runsOf } from '../support/histories';
import { call, calls, says } from '../support/replies';
import { MINE, agentWith, noteTool, withAgents } from './served';

const note = (text: string) => calls(call('Note', { text }));
const agents = (hooks: AgentHooks) => [agentWith(hooks, noteTool().tool)];

/** Events of the query that answers the message, when it has ended. */
async function historyOf(durable: Durable, messageId: string) {
  const handle = durable.queryHandle(messageId);
  await durable.closed(handle);
  return eventsOf(await runsOf(durable.client, handle.workflowId));
}

const scheduled = (events: Awaited<ReturnType<typeof historyOf>>) =>
  events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name == null ? [] : [scheduled.activityType.name],
  );

test('steering stands behind the results of the turn, and the model reads it as said meanwhile', () => {
  const queue = ['Hurry.'];
  const hooks: AgentHooks = { getSteeringMessages: () => queue.splice(0) };
  return withAgents(
    { agents: agents(hooks), script: [note('a'), says('Done.')] },
    async (durable) => {
      await durable.ask('Note it.', MINE);

      expect(JSON.stringify(durable.requestMessages[1])).toMatch(
        /tool_result.*noted a.*<system-reminder>.*Hurry\./,
      );
      durable.model.assertConsumed();
    },
  );
});

test('follow-ups are asked for when nothing else is left to do, and taken as they are', () => {
  const queue = ['/compact is no command here', 'And last?'];
  const hooks: AgentHooks = { getFollowUpMessages: () => queue.splice(0, 1) };
  return withAgents(
    { agents: agents(hooks), script: [note('a'), says('One.'), says('Two.'), says('Three.')] },
    async (durable) => {
      const result = await durable.ask('Note it.', MINE);

      expect(result).toMatchObject({ subtype: 'success', result: 'Three.' });
      expect(
        durable.requestMessages.map((messages) => (messages as unknown[]).at(-1)),
      ).toMatchObject([
        { content: [{ text: 'Note it.' }] },
        { content: [{ type: 'tool_result' }] },
        { content: [{ text: '/compact is no command here' }] },
        { content: [{ text: 'And last?' }] },
      ]);
    },
  );
});

test('shouldStopAfterTurn hears of the turn and ends the query, with no queue asked', () => {
  const turns: AgentTurn[] = [];
  const asked: string[] = [];
  const hooks: AgentHooks = {
    shouldStopAfterTurn: (turn) => turns.push(turn) > 0,
    getSteeringMessages: () => (asked.push('steering'), []),
    getFollowUpMessages: () => (asked.push('follow-ups'), []),
  };
  return withAgents({ agents: agents(hooks), script: [note('a')] }, async (durable) => {
    const result = await durable.ask('Note it.', MINE);

    expect(result.terminal_reason).toBe('hook_stopped');
    expect(asked).toEqual([]);
    expect(turns).toMatchObject([
      {
        willGoOn: true,
        message: { role: 'assistant', content: [{ type: 'tool_use', name: 'Note' }] },
        toolResults: [{ role: 'user', content: [{ type: 'tool_result', content: 'noted a' }] }],
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
      },
    ]);
  });
});

test('prepareNextTurn chooses the model of the requests that follow', () => {
  const hooks: AgentHooks = {
    prepareNextTurn: ({ willGoOn }) => (willGoOn ? { model: 'claude-haiku-4-5' } : undefined),
  };
  return withAgents(
    { agents: agents(hooks), script: [note('a'), note('b'), says('Done.')] },
    async (durable) => {
      await durable.ask('Note it.', MINE);

      expect(durable.model.requests.map(({ body }) => body.model)).toEqual([
        'claude-sonnet-4-6',
        'claude-haiku-4-5',
        'claude-haiku-4-5',
      ]);
    },
  );
});

test('an agent that hooks no end of a turn costs no Activity there', () => {
  const hooks: AgentHooks = { transformContext: (messages) => messages };
  return withAgents(
    { agents: agents(hooks), script: [note('a'), says('Done.')] },
    async (durable) => {
      const id = await durable.say('Note it.', { ...MINE, isLast: true });
      await durable.resultOf(id);

      expect(scheduled(await historyOf(durable, id))).toEqual([
        'callModel',
        'runTool',
        'callModel',
        'finishQuery',
      ]);
    },
  );
});

test('one Activity a turn asks the hooks, and no content of theirs enters history', () => {
  const queue = ['MARKER-steering'];
  const more = ['MARKER-follow-up'];
  const hooks: AgentHooks = {
    getSteeringMessages: () => queue.splice(0),
    getFollowUpMessages: () => more.splice(0),
    beforeToolCall: ({ args }) => void Object.assign(args as object, { text: 'MARKER-args' }),
    afterToolCall: () => ({ content: 'MARKER-result' }),
  };
  return withAgents(
    { agents: agents(hooks), script: [note('a'), says('One.'), says('Two.')] },
    async (durable) => {
      const id = await durable.say('Note it.', { ...MINE, isLast: true });
      await durable.resultOf(id);
      const events = await historyOf(durable, id);

      expect(scheduled(events)).toEqual([
        ...['callModel', 'runTool', 'endTurn'],
        ...['callModel', 'endTurn'],
        ...['callModel', 'endTurn', 'finishQuery'],
      ]);
      expect(JSON.stringify(payloadsOf(events))).not.toContain('MARKER');
      expect(JSON.stringify(durable.requestMessages)).toMatch(
        /MARKER-result.*MARKER-steering.*MARKER-follow-up/,
      );
    },
  );
});

test('a stop while a hook is asked ends the query, and its results are kept', () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const hooks: AgentHooks = {
    getSteeringMessages: async () => {
      isAsked();
      return new Promise(() => undefined);
    },
  };
  return withAgents({ agents: agents(hooks), script: [note('a')] }, async (durable) => {
    const id = await durable.say('Note it.', MINE);
    await asked;
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(JSON.stringify(await durable.transcript())).toContain('noted a');
  });
});

test('a failure that a hook calls final ends the query, and people are told why', () => {
  const hooks: AgentHooks = {
    getFollowUpMessages: () => {
      throw ApplicationFailure.nonRetryable('The queue is gone.');
    },
  };
  return withAgents({ agents: agents(hooks), script: [says('One.')] }, async (durable) => {
    const result = await durable.ask('Hi', MINE);

    expect(result.terminal_reason).toBe('hook_stopped');
    expect(durable.entries).toContainEqual(
      expect.objectContaining({ type: 'notice', text: 'The queue is gone.' }),
    );
  });
});
