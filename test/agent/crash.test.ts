// Needs: a Temporal server (started by the run); starts programs with an agent and kills them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../support/durable';
import { kill } from '../support/kill';
import { call, calls, fileIn, says, text } from '../support/replies';
import { startAgentProcess } from './agent-process';
import { MINE } from './served';

const SCRIPT = [
  calls(call('Note', { text: 'a' })),
  says('One.'),
  { content: [text('Two'), { ...text(' and three.'), hold: 'last' }] },
];

const put = ({ project }: Durable, name: string, content = ''): void =>
  writeFileSync(join(project, name), content);

test.each<[string, (durable: Durable) => Promise<void>]>([
  ['while it is asked for follow-ups', ({ project }) => fileIn(project, 'asked')],
  [
    'when it has given them and the model streams its answer',
    async (durable) => {
      await fileIn(durable.project, 'asked');
      put(durable, 'go');
      await durable.model.waitUntilHeld('last', { timeoutMs: 30_000 });
    },
  ],
])('a program killed %s is replaced, and each follow-up is heard once', (_when, moment) =>
  withDurable({ script: SCRIPT, match: 'conversation', isServed: false }, async (durable) => {
    put(durable, 'queue', 'And two?\nAnd three?\n');
    let program = await startAgentProcess(durable);
    try {
      const id = await durable.say('Note it.', MINE);
      await moment(durable);
      await kill(program);
      put(durable, 'go');
      durable.model.release('last');
      program = await startAgentProcess(durable);

      const result = await durable.resultOf(id);
      const prompts = (await durable.transcript()).flatMap((record) =>
        record.type === 'user' ? [JSON.stringify(record.message.content)] : [],
      );
      expect(result).toMatchObject({ subtype: 'success', result: ' and three.' });
      expect(prompts.filter((one) => one.includes('And '))).toEqual([
        JSON.stringify([{ type: 'text', text: 'And two?' }]),
        JSON.stringify([{ type: 'text', text: 'And three?' }]),
      ]);
      expect(durable.model.repeats).toBeLessThanOrEqual(1);
    } finally {
      await kill(program);
    }
  }),
);
