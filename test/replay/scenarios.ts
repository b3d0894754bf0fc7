import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Durable, DurableOptions } from '../support/durable';
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
};
