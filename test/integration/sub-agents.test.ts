// Needs: a Temporal server (started by the run).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportName } from '../../src/activities/sub-agent/sub-agent-report';
import { promptIdOf } from '../../src/activities/sub-agent/begin-sub-agent';
import type { QueryInput } from '../../src/workflows/interface';
import { withDurable, type Durable } from '../support/durable';
import { payloadsOf, runsOf } from '../support/histories';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';

const agent = (prompt: string, more: object = {}) =>
  call('Agent', { description: 'look around', prompt, ...more });

/** Workflow id of the query that the n-th call was handed to. */
async function childOf(durable: Durable, index = 0): Promise<string> {
  await durable.told(() => durable.entries.filter(isAgentCall).length > index);
  const entry = durable.entries.filter(isAgentCall)[index];
  if (entry?.type !== 'record') throw new Error('No call.');
  return durable.queryHandle(promptIdOf({ id: '', recordId: entry.record.uuid })).workflowId;
}

const isAgentCall = (entry: Durable['entries'][number]): boolean =>
  entry.type === 'record' && JSON.stringify(entry.record).includes('"name":"Agent"');

test('a sub-agent works in a conversation of its own, and only its last words return', () =>
  withDurable(
    {
      script: [
        calls(agent('List the files.')),
        calls(text('Looking.'), call('Glob', { pattern: '*' })),
        says('There are none.'),
        says('No files.'),
      ],
    },
    async (durable) => {
      const result = await durable.ask('Any files?');

      expect(result).toMatchObject({ result: 'No files.' });
      expect(durable.requestMessages[1]).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'List the files.' }] },
      ]);
      expect(JSON.stringify(durable.requestMessages[2])).toContain('Looking.');
      const last = JSON.stringify(durable.requestMessages[3]);
      expect(last).toMatch(/Any files\?.*There are none\./);
      expect(last).not.toContain('Looking.');
      expect(result.num_turns).toBe(2);
    },
  ));

test('what it does is told as work for its call, and stays out of the transcript of the session', () =>
  withDurable(
    { script: [calls(agent('Look.')), says('Report.'), says('Done.')] },
    async (durable) => {
      await durable.ask('Go.');

      const records = durable.entries.flatMap((one) => (one.type === 'record' ? [one.record] : []));
      const ofChild = records.filter(({ isSidechain }) => isSidechain);
      expect(ofChild.length).toBeGreaterThan(0);
      expect(new Set(ofChild.map((one) => Reflect.get(one, 'parentToolUseId'))).size).toBe(1);
      expect((await durable.transcript()).some(({ isSidechain }) => isSidechain)).toBe(false);
    },
  ));

test('its query has the chain of its caller, one level deeper, and no sub-agents', () =>
  withDurable(
    { script: [calls(agent('Look.')), says('Report.'), says('Done.')] },
    async (durable) => {
      const id = await durable.say('Go.');
      await durable.resultOf(id);

      const [run] = await runsOf(durable.client, await childOf(durable));
      const [input] = payloadsOf(run?.history.events?.slice(0, 1)) as readonly QueryInput[];
      expect(input?.toolUseContext.queryTracking).toEqual({ chainId: id, depth: 1 });
      const offered = durable.model.requests.map(({ body }) => JSON.stringify(body.tools));
      expect(offered.map((tools) => tools.includes('"name":"Agent"'))).toEqual([true, false, true]);
    },
  ));

test('two sub-agents of one reply work side by side', () =>
  withDurable(
    {
      script: [
        calls(agent('Look left.'), agent('Look right.')),
        { ...says('Report.'), hold: 'first' },
        { ...says('Report.'), hold: 'second' },
        says('Done.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Go.');
      await durable.model.waitUntilHeld('first');
      await durable.model.waitUntilHeld('second');
      durable.model.release('second');
      durable.model.release('first');

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    },
  ));

test('a stop of the query stops its sub-agent, and closes its request', () =>
  withDurable(
    {
      script: [
        calls(agent('Look.')),
        { content: [text('Half'), { ...text(' never'), hold: 'mid-stream' }] },
        says('Fine.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Go.');
      await durable.model.waitUntilHeld('mid-stream');
      await durable.agent.interrupt(durable.sessionId, 'user');

      expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
      const child = durable.client.workflow.getHandle(await childOf(durable));
      expect(await child.result()).toMatchObject({ reason: 'aborted_streaming', by: 'user' });
      expect(durable.model.requests[1]).toMatchObject({ clientLeft: true });
      expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    },
  ));

test('a sub-agent goes on with the next Worker, and what it ran is not run again', () =>
  withDurable(
    { script: [calls(agent('Work.')), calls(heldCommand()), says('Report.'), says('Done.')] },
    async (durable) => {
      const id = await durable.say('Go.');
      await fileIn(durable.project, 'started');
      await durable.stopServing();
      await durable.serve();
      writeFileSync(join(durable.project, 'go'), '');

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      expect(JSON.stringify(durable.requestMessages[2])).toContain('went');
      durable.model.assertConsumed();
    },
  ));

test('one that does not finish is an error that its caller reads, with its last words', () =>
  withDurable(
    {
      script: [
        calls(agent('Work.', { subagent_type: 'brief' })),
        calls(text('One file so far.'), call('Glob', { pattern: '*' })),
        says('Too long.'),
      ],
    },
    async (durable) => {
      mkdirSync(join(durable.project, '.claude/agents'), { recursive: true });
      const definition = '---\nname: brief\ndescription: is brief\nmaxTurns: 1\n---\nBe brief.';
      writeFileSync(join(durable.project, '.claude/agents/brief.md'), definition);

      expect(await durable.ask('Go.')).toMatchObject({ result: 'Too long.' });
      expect(JSON.stringify(durable.requestMessages[2])).toMatch(
        /did not finish \(max_turns\).*One file so far\..*is_error":true/,
      );
    },
  ));

test('one whose query was terminated is an error, and its caller goes on', () =>
  withDurable(
    {
      script: [calls(agent('Work.')), { ...says('Never.'), hold: 'child' }, says('Without it.')],
    },
    async (durable) => {
      const id = await durable.say('Go.');
      await durable.model.waitUntilHeld('child');
      const child = await childOf(durable);
      await durable.client.workflow.getHandle(child).terminate();

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Without it.' });
      const [, promptId] = child.split(`${durable.sessionWorkflowId}-`);
      expect(await durable.session.readDocument(reportName(promptId ?? ''))).toBeUndefined();
      expect(JSON.stringify(durable.requestMessages[2])).toContain('ended without a report');
    },
  ));
