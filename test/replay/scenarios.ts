import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalInput } from '../../src/workflows/approval';
import type { Durable, DurableOptions } from '../support/durable';
import { waitsFor, whenStatus } from '../support/query-status';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';

interface Scenario {
  readonly options: DurableOptions;
  /** Resolves when the Workflows rest, with the ids of the messages that got a query. */
  play(durable: Durable): Promise<readonly string[]>;
}

const go = ({ project }: Durable): void => writeFileSync(join(project, 'go'), '');
const read = (file: string) => call('Read', { file_path: file });
const list = () => calls(call('Glob', { pattern: '*' }));

async function askLast(durable: Durable, prompt: string): Promise<readonly string[]> {
  const id = await durable.say(prompt, { isLast: true });
  await durable.resultOf(id);
  await durable.closed(durable.sessionHandle);
  return [id];
}

/** What a recorded history should know of: each kind of thing that a Workflow does. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'plain-answer': {
    options: { script: [says('Hello.')] },
    play: (durable) => askLast(durable, 'Hi'),
  },

  'tool-turns': {
    options: {
      script: [
        calls(call('Write', { file_path: 'a.txt', content: 'a' })),
        calls(call('Bash', { command: 'mkdir -p sub && cd sub' })),
        { ...says('So'), stop_reason: 'max_tokens' },
        says('Done.'),
      ],
    },
    play: (durable) => askLast(durable, 'Work.'),
  },

  'early-tools': {
    options: {
      script: [
        { content: [read('a.txt'), read('b.txt'), { ...text('Reading.'), hold: 'early' }] },
        says('Done.'),
      ],
    },
    async play(durable) {
      const id = await durable.say('Read.', { isLast: true });
      await durable.told((entry) => entry.type === 'tool_started');
      await durable.model.waitUntilHeld('early');
      durable.model.release('early');
      await durable.resultOf(id);
      await durable.closed(durable.sessionHandle);
      return [id];
    },
  },

  interrupt: {
    options: { script: [calls(heldCommand())] },
    async play(durable) {
      const id = await durable.say('Work.', { isLast: true });
      await fileIn(durable.project, 'started');
      await durable.agent.interrupt(durable.sessionId, 'user');
      await durable.resultOf(id);
      await durable.closed(durable.sessionHandle);
      return [id];
    },
  },

  rollover: {
    options: { script: [list(), list(), says('Done.')], rolloverEvents: 1 },
    play: (durable) => askLast(durable, 'Look.'),
  },

  'several-messages': {
    options: {
      script: [says('One.'), calls(heldCommand()), says('Two and three.'), says('Four.')],
    },
    async play(durable) {
      const first = await durable.say('1?');
      await durable.resultOf(first);
      const second = await durable.say('2?');
      await fileIn(durable.project, 'started');
      await durable.say('3?');
      go(durable);
      await durable.resultOf(second);
      const [fourth] = await askLast(durable, '4?');
      return [first, second, fourth ?? ''];
    },
  },

  'parked-session': {
    options: { script: [says('Hello.')] },
    async play(durable) {
      const id = await durable.say('Hi');
      await durable.resultOf(id);
      await durable.closed(durable.queryHandle(id));
      await durable.idle();
      return [id];
    },
  },

  'waits-for-a-tool': {
    options: { script: [calls(heldCommand())] },
    async play(durable) {
      const id = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      return [id];
    },
  },

  'approved-by-people': {
    options: {
      script: [calls(call('Write', { file_path: 'a.txt', content: 'a' })), says('Done.')],
      rolloverEvents: 20,
    },
    async play(durable) {
      const options = { permissionMode: 'default', asks: 'people' } as const;
      const id = await durable.say('Write.', { isLast: true, options });
      const query = durable.queryHandle(id);
      const { questions } = await whenStatus(query, (status) => status.questions.length > 0);
      const toolUseId = questions[0]?.call.id ?? '';
      await query.executeUpdate<unknown, [ApprovalInput]>('approve', {
        args: [{ toolUseId, who: 'ann', note: 'fine', remember: true }],
      });
      await durable.resultOf(id);
      await durable.closed(durable.sessionHandle);
      return [id];
    },
  },

  paused: {
    options: { script: [calls(heldCommand()), says('Done.')] },
    async play(durable) {
      const id = await durable.say('Work.', { isLast: true });
      await fileIn(durable.project, 'started');
      await durable.agent.pause(durable.sessionId);
      await whenStatus(durable.queryHandle(id), (status) => status.paused);
      go(durable);
      await whenStatus(durable.queryHandle(id), waitsFor('resume'));
      await durable.agent.resume(durable.sessionId);
      await durable.resultOf(id);
      await durable.closed(durable.sessionHandle);
      return [id];
    },
  },

  'limit-raised': {
    options: { script: [list(), says('Done.')] },
    async play(durable) {
      const options = { maxTurns: 1, onBudget: 'pause' } as const;
      const id = await durable.say('Look.', { isLast: true, options });
      await whenStatus(durable.queryHandle(id), waitsFor('budget'));
      await durable.agent.change(durable.sessionId, { maxTurns: 10, model: 'claude-haiku-4-5' });
      await durable.resultOf(id);
      await durable.closed(durable.sessionHandle);
      return [id];
    },
  },
};
