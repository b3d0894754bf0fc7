import { ScreenModel } from '../../src/terminal/screen-model';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import type { LogEntry } from '../../src/transcript/session-log';
import {
  interrupted,
  promptRecord,
  queryEnded,
  queryStarted,
  record,
  reply,
  textBlock,
  userRecord,
} from '../support/fake-session';
import { RUN_OPTIONS } from '../support/fake-surroundings';

const PROMPT = { id: 'p', content: 'hello', submittedAt: '', options: RUN_OPTIONS };
const QUERY = 'query-p';
const STREAM = 'stream-1';

const bash: ContentBlock = {
  type: 'tool_use',
  id: 'call',
  name: 'Bash',
  input: { command: 'ls' },
  caller: { type: 'direct' },
};

function seen(...entries: readonly LogEntry[]): ScreenModel {
  const screen = new ScreenModel();
  see(screen, ...entries);
  return screen;
}

function see(screen: ScreenModel, ...entries: readonly LogEntry[]): void {
  for (const entry of entries) screen.see({ entry, at: '2026-01-02T03:04:05.000Z' });
}

const started = (): LogEntry[] => [queryStarted(PROMPT), promptRecord(PROMPT)];
const streamStarted: LogEntry = {
  type: 'stream_started',
  queryId: QUERY,
  stream: STREAM,
  turn: 0,
  live: 'live',
};
const result = (content: string, isError = false): LogEntry =>
  record(
    'p',
    userRecord({
      content: [{ type: 'tool_result', tool_use_id: 'call', content, is_error: isError }],
    }),
  );
const asking: LogEntry = {
  type: 'permission_requested',
  queryId: QUERY,
  question: {
    call: { id: 'call', recordId: 'record', index: 0 } as never,
    toolName: 'Bash',
    input: { command: 'ls' },
    reason: 'no rule',
    reasonType: 'mode',
    suggestedRules: [],
    blockedPath: null,
  },
};
const delta = (text: string) => ({
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
  blocks: 0,
});
const blockStart = {
  event: { type: 'content_block_start', content_block: { type: 'text', text: '' } },
  blocks: 0,
};

test('a message waits until its record is there, and then stands in its place', () => {
  const screen = new ScreenModel();
  screen.sent({ id: 'p', text: 'hello', isAccepted: false });
  screen.accepted('p');
  expect(screen.waiting).toEqual([{ id: 'p', text: 'hello', isAccepted: true }]);

  see(screen, ...started());

  expect(screen.waiting).toEqual([]);
  expect(screen.items).toEqual([{ type: 'prompt', text: 'hello' }]);
});

test('a block grows while it streams; its record takes the place of what grew', () => {
  const screen = seen(...started(), streamStarted);
  screen.seeLive(blockStart);
  screen.seeLive(delta('Hel'));
  screen.seeLive(delta('lo'));
  expect(screen.live).toEqual({ type: 'text', text: 'Hello' });

  see(screen, ...reply([textBlock('Hello')], STREAM));

  expect(screen.live).toBeNull();
  expect(screen.items.at(-1)).toMatchObject({ type: 'text', text: 'Hello' });
});

test('a stream of a sub-agent does not grow on the screen', () => {
  const screen = seen(...started(), { ...streamStarted, queryId: 'sub-agent' });
  screen.seeLive(blockStart);
  screen.seeLive(delta('secret'));

  expect(screen.live).toBeNull();
});

test('a reply that is taken back leaves the screen, with its calls and questions', () => {
  const screen = seen(...started(), streamStarted, ...reply([textBlock('draft'), bash], STREAM), {
    ...asking,
    stream: STREAM,
  });
  expect(screen.items).toHaveLength(3);

  see(screen, {
    type: 'stream_discarded',
    queryId: QUERY,
    stream: STREAM,
    reason: 'again',
  });

  expect(screen.items).toEqual([{ type: 'prompt', text: 'hello' }]);
  expect(screen.questions).toEqual([]);
});

test('a call goes from asked to running to done, with what came out', () => {
  const screen = seen(...started(), ...reply([bash]));
  const tool = (): unknown => screen.items.at(-1);
  expect(tool()).toMatchObject({ state: 'asked' });

  see(screen, {
    type: 'tool_started',
    queryId: QUERY,
    toolUseId: 'call',
    name: 'Bash',
    summary: 'ls',
  });
  expect(tool()).toMatchObject({ state: 'running' });

  see(screen, result('a.txt'));
  expect(tool()).toMatchObject({ state: 'done', output: 'a.txt' });
});

test('a question goes when it is decided, when its result is there, or when its query ends', () => {
  const endings: readonly LogEntry[] = [
    {
      type: 'permission_decided',
      queryId: QUERY,
      decision: {
        call: { id: 'call', recordId: 'record', index: 0 } as never,
        toolName: 'Bash',
        behavior: 'allow',
        by: 'somebody else',
        at: '',
      },
    },
    result('done'),
    queryEnded('p'),
  ];

  for (const ending of endings) {
    const screen = seen(...started(), ...reply([bash]), asking);
    expect(screen.questions).toHaveLength(1);
    see(screen, ending);
    expect(screen.questions).toEqual([]);
  }
});

test('an interrupted query says so, and its calls are shown as stopped', () => {
  const screen = seen(...started(), ...reply([bash]), queryEnded('p', interrupted));

  expect(screen.isWorking).toBe(false);
  expect(screen.items).toMatchObject([
    { type: 'prompt' },
    { type: 'tool', state: 'stopped' },
    { type: 'notice', level: 'warning', text: 'Interrupted. What should be done instead?' },
  ]);
});

test('a record that is told twice is shown once', () => {
  const told = reply([textBlock('once')]);

  expect(seen(...started(), ...told, ...told).items).toHaveLength(2);
});
