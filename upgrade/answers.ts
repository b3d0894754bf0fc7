import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { summaryPrompt } from '../src/activities/compact/summary-prompt';
import type { Reply, ReplyBlock } from '../src/scripted-model/reply';
import type { ScriptedRequest } from '../src/scripted-model/scripted-request';

/** What the model is told from outside, and what it was asked. By the name of the session's folder. */
export interface Playing {
  /** Sessions that are not refused any more. */
  readonly released: Set<string>;
  /** How many requests came. */
  readonly asked: Map<string, number>;
}

export const MORE = 'One more.';
const SUB_TASK = 'Do your part';
const FOLDER = /session-([a-z-]+)-\d+-of-[a-z]+/;

const RETRY_AFTER_S = '10';
const SUMMARY_PROMPT = summaryPrompt([]);

const text = (content: string): ReplyBlock => ({ type: 'text', text: content });
const says = (content: string): Reply => ({ content: [text(content)] });
const call = (name: string, input: object): ReplyBlock => ({ type: 'tool_use', name, input });
const calls = (...content: readonly ReplyBlock[]): Reply => ({ content });
const bash = (command: string, more = {}): ReplyBlock => call('Bash', { command, ...more });

/** Says that it runs, and goes on when the file `go` lies there. */
const held = (line: string): ReplyBlock =>
  bash(
    `echo ${line} >> runs; touch started-${line}; until [ -e go ]; do sleep 0.05; done; echo went`,
  );
const once = (line: string): ReplyBlock => bash(`echo ${line} >> runs`);
const look = calls(call('Glob', { pattern: '*.none' }));
const heldThen = (...more: readonly ReplyBlock[]): readonly Reply[] => [
  calls(held('first'), ...more),
  says('Done.'),
];

/** Of AskUserQuestion. */
export const QUESTIONS = {
  questions: [
    {
      question: 'Which one?',
      header: 'Choice',
      options: ['this', 'that'].map((label) => ({ label, description: `Take ${label}` })),
      multiSelect: false,
    },
  ],
};

/** What the model answers to the prompt of each situation, in turn. `name`: of the session's folder. */
const CONVERSATIONS: Readonly<Record<string, (name: string) => readonly Reply[]>> = {
  idle: () => [calls(once('first')), says('Done.')],
  thinking: (name) => [{ ...says('Done.'), hold: name }],
  speaking: (name) => [{ content: [text('Almost'), { ...text(' done.'), hold: name }] }],
  tool: () => heldThen(),
  batch: () => heldThen(once('second'), call('Glob', { pattern: '*.none' })),
  permission: () => [calls(once('first')), says('Done.')],
  question: () => [calls(call('AskUserQuestion', QUESTIONS)), says('Done.')],
  paused: () => heldThen(),
  sleeping: () => [calls(call('Sleep', { duration_ms: 3_600_000 })), says('Awake.')],
  retrying: () => [calls(once('first')), says('Done.')],
  compacting: () => [
    { ...calls(once('first')), usage: { input_tokens: 180_000, output_tokens: 100 } },
  ],
  agents: (name) => [
    calls(
      ...['one', 'two'].map((part) =>
        call('Agent', { description: part, prompt: `${SUB_TASK}, ${part}, of ${name}.` }),
      ),
    ),
    says('Both are done.'),
  ],
  shell: () => [
    calls(bash('echo $$ > shell-pid; exec sleep 900', { run_in_background: true })),
    says('It runs.'),
  ],
  workspace: () => [calls(once('first')), says('Done.')],
  stopped: () => heldThen(),
  interrupted: () => heldThen(),
  steered: () => heldThen(),
  rollover: () => [look, look, look, ...heldThen()],
  budget: () => [calls(once('first')), calls(once('second')), says('Done.')],
};

/** By what the request holds, never by when it comes: one that a new Worker repeats is answered as before. */
export function answerOf({ body }: ScriptedRequest, { released, asked }: Playing): Reply {
  const { messages } = body;
  const [name, situation = ''] = FOLDER.exec(JSON.stringify(body)) ?? [];
  if (name === undefined) throw new Error('The request is of no session of the show.');
  asked.set(name, (asked.get(name) ?? 0) + 1);
  if (textOf(messages.at(-1)).includes(SUMMARY_PROMPT)) {
    return { content: [{ ...text('<summary>It was full.</summary>'), hold: name }] };
  }
  const isMore = messages.findLastIndex((message) => textOf(message).includes(MORE));
  if (isMore >= 0)
    return inTurn([calls(named(once('more'), 'more')), says('More.')], messages.slice(isMore));
  const [, part] = /Do your part, (one|two)/.exec(textOf(messages[0])) ?? [];
  if (part !== undefined) {
    return inTurn([calls(named(held(part), part)), says('My part is done.')], messages);
  }
  if (situation === 'retrying' && !released.has(name)) {
    return { error: { type: 'overloaded_error' }, headers: { 'retry-after': RETRY_AFTER_S } };
  }
  if (textOf(messages[0]).includes('It was full.')) return says('Done.');
  return inTurn(CONVERSATIONS[situation]?.(name) ?? [], messages);
}

/** Two conversations of a session are at the same place at times. */
const named = (block: ReplyBlock, id: string): ReplyBlock =>
  block.type === 'tool_use' ? { ...block, id: `toolu_${id}` } : block;

function inTurn(replies: readonly Reply[], messages: readonly MessageParam[]): Reply {
  const index = messages.filter(({ role }) => role === 'assistant').length;
  const reply = replies[index];
  if (reply === undefined)
    throw new Error(`There are ${replies.length} replies, and one more was asked for.`);
  return reply;
}

function textOf(message: MessageParam | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
