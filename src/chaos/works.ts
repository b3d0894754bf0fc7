import type { CrashScriptInput } from '../crash-test/crash-script';
import type { Reply } from '../scripted-model/reply';

/** What one kind of session does, and by whom it is served at first. */
export interface Work {
  readonly name: string;
  /** `foreground`: by the command that began it, until that is killed. One prompt only. */
  readonly mode: 'background' | 'foreground';
  readonly script: CrashScriptInput;
}

type Block = NonNullable<Reply['content']>[number];

/** In the input of a call: the id of the background shell that the conversation speaks of. */
export const SHELL_HERE = 'SHELL_HERE';

const EFFECTS = 'effects.log';
/** A model thinks. */
const AFTER_BLOCK_MS = 250;

const reply = (...content: Block[]): Reply => ({ content, afterBlockMs: AFTER_BLOCK_MS });
const says = (text: string): Reply => reply({ type: 'text', text });
const call = (name: string, input: object): Block => ({ type: 'tool_use', name, input });
const bash = (command: string, more = {}): Reply => reply(call('Bash', { command, ...more }));
const append = (line: string): Reply => bash(`sleep 0.3; echo ${line} >> ${EFFECTS}`);

function work(name: string, mode: Work['mode'], script: Omit<CrashScriptInput, 'effects'>): Work {
  const options = { permissionMode: 'bypassPermissions', ...script.options } as const;
  return { name, mode, script: { ...script, options, effects: [EFFECTS] } };
}

/** One conversation that begins with the first prompt. */
const led = (prompts: readonly string[], replies: readonly Reply[]) => ({
  prompts: [...prompts],
  conversations: [{ contains: prompts[0], replies: [...replies] }],
});

const LONG_COMMAND = `for n in 1 2 3 4 5 6 7 8; do echo tick $n >> ${EFFECTS}; sleep 0.5; done; echo over`;

/** Work of every kind whose loss or repetition can be seen: lines that are appended, files, conversations. */
export const WORKS: readonly Work[] = [
  work(
    'lines',
    'background',
    led(
      ['Append lines.', 'Append more of them.', 'And the last ones.'],
      ['one', 'two', 'three'].flatMap((part) => [
        append(`${part} first`),
        append(`${part} second`),
        says(`Part ${part} is done.`),
      ]),
    ),
  ),
  work('files', 'background', {
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'notes.txt': 'one\n' },
    ...led(
      ['Edit the files.'],
      [
        reply(call('Read', { file_path: 'a.txt' }), call('Read', { file_path: 'b.txt' })),
        reply(call('Write', { file_path: 'c.txt', content: 'gamma\n' })),
        reply(call('Read', { file_path: 'notes.txt' })),
        reply(
          call('Edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'one\ntwo' }),
          call('Bash', { command: `wc -l < notes.txt >> ${EFFECTS}` }),
        ),
        says('Edited.'),
      ],
    ),
  }),
  work('sub-agent', 'background', {
    prompts: ['Hand the work over.'],
    conversations: [
      {
        contains: 'Append what you were told.',
        replies: [append('by the agent'), says('Appended.')],
      },
      {
        contains: 'Hand the work over.',
        replies: [
          reply(call('Agent', { description: 'append', prompt: 'Append what you were told.' })),
          append('by the caller'),
          says('Both are done.'),
        ],
      },
    ],
  }),
  work(
    'long command',
    'background',
    led(['Run it for long.'], [bash(LONG_COMMAND), append('after it'), says('It ran.')]),
  ),
  work(
    'shell',
    'background',
    led(
      ['Keep it running.', 'End it.'],
      [
        bash('sleep 600', { run_in_background: true }),
        append('beside it'),
        says('It runs.'),
        reply(call('KillShell', { shell_id: SHELL_HERE })),
        says('It is ended.'),
      ],
    ),
  ),
  work('questions', 'background', {
    options: { permissionMode: 'default' },
    answers: [{ tool: 'Write', behavior: 'deny' }],
    ...led(
      ['Ask before you do.'],
      [
        append('allowed'),
        reply(call('Write', { file_path: 'denied.txt', content: 'never\n' })),
        append('allowed again'),
        says('I asked.'),
      ],
    ),
  }),
  work('compaction', 'background', {
    prompts: ['Fill the context.'],
    conversations: [
      {
        contains: 'The context was filled',
        replies: [append('after the summary'), says('It was full.')],
      },
      {
        contains: 'Fill the context.',
        replies: [
          append('before'),
          {
            ...append('at the brim'),
            usage: { input_tokens: 180_000, output_tokens: 100 },
          },
        ],
      },
    ],
  }),
  work(
    'talk',
    'background',
    led(
      ['Tell me a story.', 'Another one.'],
      [
        { ...says('Once upon a time there was a Worker. '.repeat(6)), deltaDelayMs: 40 },
        { ...says('And then there was another. '.repeat(6)), deltaDelayMs: 40 },
      ],
    ),
  ),
  work(
    'foreground lines',
    'foreground',
    led(
      ['Append while I watch.'],
      [append('watched 1'), append('watched 2'), append('watched 3'), says('You saw it.')],
    ),
  ),
  work(
    'foreground command',
    'foreground',
    led(['Run it while I watch.'], [bash(LONG_COMMAND), says('You saw it run.')]),
  ),
];

/** What answers the request for a summary. */
export const SUMMARY =
  '<analysis>Short.</analysis>\n<summary>The context was filled, and one line is missing.</summary>';
