import type { CrashScript } from '../../src/crash-test/crash-script';
import type { ReplyBlock } from '../../src/scripted-model/reply';
import { marker } from './markers';

export const FILE = `${marker('FileName')}.txt`;
/** A command waits for it. */
export const GO = 'go';

const text = (words: string): ReplyBlock => ({ type: 'text', text: words });
const call = (name: string, input: unknown): ReplyBlock => ({ type: 'tool_use', name, input });
const says = (...content: readonly ReplyBlock[]) => ({ content: [...content] });

const QUESTION = {
  question: `${marker('Question')}?`,
  header: 'Choice',
  options: [
    { label: 'One', description: 'the first' },
    { label: 'Two', description: 'the second' },
  ],
};

/** What the model says in the sessions of the scan. */
export const conversations: CrashScript['conversations'] = [
  {
    contains: marker('SubAgentTask'),
    replies: [says(call('Read', { file_path: FILE })), says(text(marker('SubAgentReply')))],
  },
  {
    contains: 'Be refused.',
    replies: [
      { error: { type: 'invalid_request_error', message: `no: ${marker('ProviderError')}` } },
    ],
  },
  {
    contains: marker('ForegroundPrompt'),
    replies: [
      says(text(marker('ForegroundReply'))),
      // To the same session, when it is resumed.
      says(text(marker('ResumedReply'))),
      says(text(marker('ResumedReply'))),
    ],
  },
  {
    contains: marker('SchedulePrompt'),
    replies: [says(text(marker('ScheduleReply')))],
  },
  {
    contains: marker('Prompt'),
    replies: [
      says(
        { type: 'thinking', thinking: marker('Thinking'), signature: 'scripted' },
        text(marker('Reply')),
        call('Read', { file_path: FILE }),
      ),
      says(call('Write', { file_path: FILE, content: marker('FileAfter') })),
      says(call('Bash', { command: `: ${marker('ToolInput')}; rev reversed.txt` })),
      says(call('Bash', { command: 'rev refused.txt >&2; exit 3' })),
      says(call('Bash', { command: 'denied' })),
      says(call('AskUserQuestion', { questions: [QUESTION] })),
      says(
        call('Agent', {
          description: marker('SubAgentTitle'),
          prompt: marker('SubAgentTask'),
          subagent_type: 'helper',
        }),
      ),
      says(call(marker('UnknownTool'), { [marker('UnknownToolInput')]: 1 })),
      says(
        call('TodoWrite', {
          todos: [{ content: marker('Todo'), activeForm: marker('Todo'), status: 'in_progress' }],
        }),
      ),
      says(call('Bash', { command: `until [ -e ${GO} ]; do sleep 0.1; done` })),
      says(text('All is done.')),
      says(text(marker('ResumedReply'))),
      says(text(marker('ResumedReply'))),
    ],
  },
];
