import type { Reply } from '../../src/scripted-model/reply';
import type { ScriptedRequest } from '../../src/scripted-model/scripted-request';
import { call, calls, says } from '../support/replies';
import type { SessionKind } from './snippet';

/** What a session is asked so that it comes into its state. */
export const PROMPTS: Readonly<Record<SessionKind, string>> = {
  finished: 'Write three files, one after the other.',
  working: 'Work until you are stopped.',
  'waiting-approval': 'Do what needs an approval.',
  'waiting-answer': 'Ask what to use.',
};

const write = (name: string): Reply => calls(call('Write', { file_path: name, content: 'kept\n' }));

const QUESTION = {
  questions: [
    {
      question: 'Which database?',
      header: 'Database',
      multiSelect: false,
      options: [
        { label: 'SQLite', description: 'One file' },
        { label: 'Postgres', description: 'A server' },
      ],
    },
  ],
};

/** What the model says first, second, ... to each of the prompts; behind that, and to all other prompts, `Done.` */
const REPLIES: Readonly<Record<SessionKind, readonly Reply[]>> = {
  finished: ['one.txt', 'two.txt', 'three.txt'].map(write),
  working: [{ ...says('Done.'), hold: 'never' }],
  'waiting-approval': [
    calls({ ...call('Bash', { command: 'touch approved' }), id: 'toolu_01' } as never),
  ],
  'waiting-answer': [calls({ ...call('AskUserQuestion', QUESTION), id: 'toolu_01' } as never)],
};

export function replyTo({ body: { messages }, outline }: ScriptedRequest): Reply {
  const first = JSON.stringify(messages[0]);
  const kind = (Object.keys(PROMPTS) as SessionKind[]).find((one) => first.includes(PROMPTS[one]));
  const replies = kind === undefined ? [] : REPLIES[kind];
  return replies[outline.assistantMessages] ?? says('Done.');
}
