import type { JsonObject } from '../../../src/cli/input/json-object';
import { HostQuestions } from '../../../src/cli/input/host-questions';
import type { WaitingQuestion } from '../../../src/cli/session-connection';
import type { PermissionAnswer } from '../../../src/transcript/permission';
import type { LogEntry } from '../../../src/transcript/session-log';
import { queryEnded, record, userRecord } from '../../support/fake-session';

/** A host that keeps what it was written, and what was answered in its name. */
function hosted() {
  const frames: JsonObject[] = [];
  const answers: (readonly [id: string, answer: PermissionAnswer])[] = [];
  const questions = new HostQuestions({
    write: async (frame) => void frames.push(frame),
    newId: () => `r${frames.length + 1}`,
    answer: async ({ question }, answer) => void answers.push([question.call.id, answer]),
  });
  return { questions, frames, answers };
}

const waiting = (
  id: string,
  changes: Partial<WaitingQuestion['question']> = {},
): WaitingQuestion => ({
  queryId: 'query-p1',
  question: {
    call: { id, recordId: `record-${id}` },
    toolName: 'Bash',
    input: { command: 'make' },
    reason: 'Bash needs a permission.',
    reasonType: 'no_rule',
    suggestedRules: [],
    blockedPath: null,
    ...changes,
  },
});
const requested = (id: string): LogEntry => ({ type: 'permission_requested', ...waiting(id) });

test('a question is put as can_use_tool, with the rules that would answer it for good', async () => {
  const { questions, frames } = hosted();
  const about = { suggestedRules: ['Bash(make:*)', 'Read'], blockedPath: '/etc/hosts' };

  await questions.ask(waiting('a', about));

  expect(frames).toEqual([
    {
      type: 'control_request',
      request_id: 'r1',
      request: {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        input: { command: 'make' },
        tool_use_id: 'a',
        decision_reason: 'Bash needs a permission.',
        decision_reason_type: 'no_rule',
        blocked_path: '/etc/hosts',
        permission_suggestions: [
          {
            type: 'addRules',
            rules: [{ toolName: 'Bash', ruleContent: 'make:*' }, { toolName: 'Read' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      },
    },
  ]);
});

test('a question that is told again is not asked again', async () => {
  const { questions, frames } = hosted();

  await questions.ask(waiting('a'));
  await questions.see(requested('a'));

  expect(frames).toHaveLength(1);
});

test('a question that somebody else has decided is taken back at once', async () => {
  const { questions, frames } = hosted();
  await questions.ask(waiting('a'));
  await questions.ask(waiting('b'));

  const { call, toolName } = waiting('a').question;
  const by = { behavior: 'deny', by: 'ada', at: '2026-01-02T03:04:05.000Z' } as const;
  const decision = { call, toolName, ...by };
  await questions.see({ type: 'permission_decided', queryId: 'query-p1', decision });

  expect(frames.slice(2)).toEqual([{ type: 'control_cancel_request', request_id: 'r1' }]);
});

test('the answer goes to its question, whatever the order', async () => {
  const { questions, answers } = hosted();
  await questions.see(requested('a'));
  await questions.see(requested('b'));

  await questions.answered('r2', { behavior: 'allow' }, '');
  await questions.answered('r1', null, 'window closed');

  expect(answers).toMatchObject([
    ['b', { behavior: 'allow' }],
    ['a', { behavior: 'deny' }],
  ]);
  expect(questions.isWaiting).toBe(false);
});

test('an answer that nobody waits for, or that comes twice, is ignored', async () => {
  const { questions, answers } = hosted();
  await questions.ask(waiting('a'));

  await questions.answered('other', { behavior: 'allow' }, '');
  await questions.answered('r1', { behavior: 'allow' }, '');
  await questions.answered('r1', { behavior: 'deny', message: 'No.' }, '');

  expect(answers).toEqual([['a', { behavior: 'allow', by: 'host' }]]);
});

const result = userRecord({ content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] });

test.each<[string, LogEntry]>([
  ['its call has a result', record('p1', result)],
  ['its query has ended', queryEnded('p1')],
])('a question is taken back when %s', async (_when, entry) => {
  const { questions, frames, answers } = hosted();
  await questions.ask(waiting('a'));

  await questions.see(entry);
  await questions.answered('r1', { behavior: 'allow' }, '');

  expect(frames.slice(1)).toEqual([{ type: 'control_cancel_request', request_id: 'r1' }]);
  expect(answers).toEqual([]);
});

test('a question is taken back with the reply that its call was in', async () => {
  const { questions, frames } = hosted();
  const discarded = { type: 'stream_discarded', queryId: 'query-p1', reason: 'cut' } as const;
  await questions.see({ ...requested('a'), stream: 'one' } as LogEntry);

  await questions.see({ ...discarded, stream: 'other' });
  const before = frames.length;
  await questions.see({ ...discarded, stream: 'one' });

  expect(before).toBe(1);
  expect(frames[1]).toEqual({ type: 'control_cancel_request', request_id: 'r1' });
});

test('what happens to others leaves a question open', async () => {
  const { questions, frames } = hosted();
  await questions.ask(waiting('b'));

  await questions.see(record('p1', result));
  await questions.see(record('p1', userRecord({ content: 'text' })));
  await questions.see(queryEnded('p2'));

  expect(frames).toHaveLength(1);
  expect(questions.isWaiting).toBe(true);
});

test('a host that closes its input has said no, to what is open and to what comes', async () => {
  const { questions, frames, answers } = hosted();
  await questions.ask(waiting('a'));

  await questions.end();
  await questions.see(requested('b'));

  expect(answers).toMatchObject([
    ['a', { behavior: 'deny' }],
    ['b', { behavior: 'deny' }],
  ]);
  expect(frames).toHaveLength(1);
});
