import { AgentLines } from '../../src/demo/agent-lines';
import type { LogEntry } from '../../src/transcript/session-log';

const queryId = 'query';
const stream = { activityId: '1', attempt: 1, stream: 0 };

const turnStarts = (turn: number): LogEntry =>
  ({ type: 'stream_started', queryId, stream, turn, live: 'live' }) as unknown as LogEntry;
const replies = (...content: readonly unknown[]): LogEntry =>
  ({ type: 'record', queryId, record: { type: 'assistant', message: { content } } }) as LogEntry;
const toolStarts = (toolUseId: string, name: string, summary: string): LogEntry => ({
  type: 'tool_started',
  queryId,
  toolUseId,
  name,
  summary,
});
const toolEnds = (tool_use_id: string, content: string, is_error?: true): LogEntry =>
  ({
    type: 'record',
    queryId,
    record: {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id, content, is_error }] },
    },
  }) as unknown as LogEntry;

const linesAfter = (...entries: readonly LogEntry[]): readonly string[] => {
  const lines = new AgentLines('/project');
  return entries.flatMap((entry) => lines.after(entry)).map(({ turn, text }) => `${turn} ${text}`);
};

test('what the agent says is told with its turn', () => {
  expect(linesAfter(turnStarts(3), replies({ type: 'text', text: 'I fix it.' }))).toEqual([
    '3 I fix it.',
  ]);
});

test.each([
  ['Bash', 'node a.js', 'checks passed', undefined, 'Bash node a.js → exit 0 · checks passed'],
  ['Bash', 'node a.js', 'Exit code 1\nAssertionError', true, 'Bash node a.js → exit 1'],
  ['Bash', 'node a.js', 'Outcome unknown: look', true, 'Bash node a.js → Outcome unknown: look'],
  ['Read', '/project/sum.js', '1 function', undefined, 'Read sum.js → done'],
] as const)('%s %s with the result %j → one line', (name, summary, content, isError, line) => {
  const lines = linesAfter(
    turnStarts(1),
    toolStarts('a', name, summary),
    toolEnds('a', content, isError),
  );

  expect(lines).toEqual([`1 ${line}`]);
});

test('a call that was refused before it began is told too', () => {
  const refused = '<tool_use_error>No such tool</tool_use_error>';

  expect(
    linesAfter(
      turnStarts(2),
      replies({ type: 'tool_use', id: 'a', name: 'Fly' }),
      toolEnds('a', refused, true),
    ),
  ).toEqual([`2 Fly → ${refused}`]);
});

test('a call keeps the turn in which it was made', () => {
  const lines = linesAfter(
    turnStarts(1),
    toolStarts('a', 'Read', 'x'),
    turnStarts(2),
    toolEnds('a', ''),
  );

  expect(lines).toEqual(['1 Read x → done']);
});
