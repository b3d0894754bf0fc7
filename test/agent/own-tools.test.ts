// Needs: a Temporal server (started by the run).
import { defineAgent } from '../../src/agent/define-agent';
import { call, calls, says } from '../support/replies';
import { MINE, agentWith, noteTool, withAgents } from './served';

const note = (text: string) => call('Note', { text });

test('the model is offered the agent’s tools and no others, and one that it calls is run', () => {
  const { tool, seen } = noteTool();
  return withAgents(
    { agents: [agentWith({}, tool)], script: [calls(note('a')), says('Done.')] },
    async (durable) => {
      const result = await durable.ask('Note it.', MINE);

      const [first] = durable.model.requests;
      expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
      expect(first?.body.tools?.map((offered) => 'name' in offered && offered.name)).toEqual([
        'Note',
      ]);
      expect(seen).toEqual([{ text: 'a' }]);
      expect(JSON.stringify(durable.requestMessages[1])).toContain('noted a');
    },
  );
});

test('an agent brings its system prompt, unless the message brings one', () => {
  const agent = defineAgent({ name: 'mine', systemPrompt: 'You are a clerk.' });
  return withAgents({ agents: [agent], script: [says('1'), says('2')] }, async (durable) => {
    await durable.ask('1?', MINE);
    await durable.ask('2?', { options: { agent: 'mine', systemPrompt: 'You are a cook.' } });

    const prompts = durable.model.requests.map(({ body }) => JSON.stringify(body.system));
    expect(prompts[0]).toContain('You are a clerk.');
    expect(prompts[1]).toContain('You are a cook.');
    expect(prompts[1]).not.toContain('clerk');
  });
});

test('a message that names no agent has the built-in tools and none of an agent’s hooks', () => {
  const { tool } = noteTool();
  const asked: string[] = [];
  const agent = agentWith({ transformContext: (messages) => (asked.push('hook'), messages) }, tool);
  return withAgents({ agents: [agent], script: [says('Hello.')] }, async (durable) => {
    await durable.ask('Hi');

    expect(JSON.stringify(durable.model.requests[0]?.body.tools)).toContain('"Bash"');
    expect(asked).toEqual([]);
  });
});

test('a tool whose result wants no further reply ends the query with it', () => {
  const { tool } = noteTool({ terminate: true });
  return withAgents(
    { agents: [agentWith({}, tool)], script: [calls(note('a'))] },
    async (durable) => {
      const result = await durable.ask('Note it.', MINE);

      expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'completed' });
      expect(JSON.stringify(await durable.transcript())).toContain('noted a');
    },
  );
});

test('an agent that the Worker does not have is refused, and the message names the cure', () =>
  withAgents({ agents: [agentWith({})], script: [] }, async (durable) => {
    const result = await durable.ask('Hi', { options: { agent: 'yours' } });

    expect(result).toMatchObject({ is_error: true, terminal_reason: 'model_error' });
    expect(JSON.stringify(result)).toMatch(
      /no agent \\"yours\\" \(it has: mine\). Give it to createWorker\(\{ agents: \[...\] \}\)/,
    );
    expect(durable.model.requests).toEqual([]);
  }));

test('a session that is opened by its Worker answers, and is found again by its id', () =>
  withAgents(
    { agents: [agentWith({})], script: [says('One.'), says('Two.')] },
    async (durable, worker) => {
      const first = await worker.openSession({ cwd: durable.project, ...MINE });
      const { result: one } = await first.ask('1?', { isLast: true });
      const again = await worker.openSession({ cwd: '/', sessionId: first.sessionId, ...MINE });
      const { result: two } = await again.ask('2?', { isLast: true });

      expect([one, two]).toEqual(['One.', 'Two.']);
      expect(durable.model.requests[1]?.body.messages).toHaveLength(3);
    },
  ));
