// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryStatus } from '../../src/workflows/interface';
import { withDurable, type Durable } from '../support/durable';
import { runsOf } from '../support/histories';
import { whenStatus, waitsFor } from '../support/query-status';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const go = ({ project }: Durable): void => writeFileSync(join(project, 'go'), '');
const held = (durable: Durable, id: string): Promise<QueryStatus> =>
  whenStatus(durable.queryHandle(id), waitsFor('resume'));

/** Resolves when the running query has heard of the pause. */
async function pausedQuery(durable: Durable, id: string): Promise<void> {
  await durable.agent.pause(durable.sessionId);
  await whenStatus(durable.queryHandle(id), ({ paused }) => paused);
}

const WORK = [calls(heldCommand()), says('Done.')];

test('a paused query takes the result of the tool that runs, and asks the model no more until it is resumed', () =>
  withDurable({ script: WORK }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await pausedQuery(durable, id);
    go(durable);
    await held(durable, id);
    expect(durable.model.requests).toHaveLength(1);
    await durable.agent.resume(durable.sessionId);

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    expect(JSON.stringify(durable.requestMessages[1])).toContain('went');
  }));

test('a paused session keeps its messages, and answers them when it is resumed', () =>
  withDurable({ script: [says('Hello.'), says('Again.')] }, async (durable) => {
    await durable.ask('Hi');
    await durable.agent.pause(durable.sessionId);
    const id = await durable.say('Hi again', { isLast: true });
    expect(await durable.idle()).toMatchObject({ paused: true, waiting: [id] });
    expect(durable.model.requests).toHaveLength(1);
    await durable.agent.resume(durable.sessionId);

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Again.' });
    expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
  }));

test('a pause outlives the Worker and rollovers of both Workflows; messages that come meanwhile are kept', () =>
  withDurable({ script: WORK, rolloverEvents: 1 }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await pausedQuery(durable, id);
    go(durable);
    await held(durable, id);
    await durable.stopServing();
    await durable.serve();
    for (const text of ['One.', 'Two.']) await durable.steer(id, text);
    const { waitingFor, waiting } = await held(durable, id);
    expect({ waitingFor, waiting: waiting.length }).toEqual({ waitingFor: 'resume', waiting: 2 });
    const runs = await runsOf(durable.client, durable.queryHandle(id).workflowId);
    expect(runs.length).toBeGreaterThan(2);
    await durable.agent.resume(durable.sessionId);

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    expect(durable.entries.filter(({ type }) => type === 'query_started')).not.toHaveLength(0);
  }));

test('a paused query can be stopped', () =>
  withDurable({ script: WORK.slice(0, 1) }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await pausedQuery(durable, id);
    go(durable);
    await held(durable, id);
    await durable.agent.stop(durable.sessionId);

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
  }));

test('a query is paused and resumed on its own page, by Signals without arguments', () =>
  withDurable({ script: WORK }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    await durable.queryHandle(id).signal('pause');
    go(durable);
    await held(durable, id);
    await durable.queryHandle(id).signal('resume');

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
  }));

test('a pause reaches the sub-agent that is at work', () =>
  withDurable(
    {
      script: [
        calls(
          call('Agent', {
            description: 'help',
            prompt: 'Help.',
            subagent_type: 'general-purpose',
          }),
        ),
        calls(heldCommand()),
        says('Helped.'),
        says('Done.'),
      ],
    },
    async (durable) => {
      const id = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      const { subAgents } = await whenStatus(durable.queryHandle(id), () => true);
      const [subAgent = ''] = subAgents;
      const helper = durable.client.workflow.getHandle(subAgent);
      await durable.agent.pause(durable.sessionId);
      await whenStatus(helper, ({ paused }) => paused);
      go(durable);
      await whenStatus(helper, waitsFor('resume'));
      expect(durable.model.requests).toHaveLength(2);
      await durable.agent.resume(durable.sessionId);

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    },
  ));
