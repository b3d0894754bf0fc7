import { SdkMessages } from '../../../src/cli/output/sdk-messages';
import type { InboxMessage } from '../../../src/transcript/message';
import type { LogEntry } from '../../../src/transcript/session-log';
import {
  assistantRecord,
  queryEnded,
  queryStarted,
  record,
  reply,
  SESSION_ID,
  textBlock,
  userRecord,
} from '../../support/fake-session';
import { RUN_OPTIONS } from '../../support/fake-surroundings';

const PROMPT: InboxMessage = { id: 'p', content: 'hi', submittedAt: '', options: RUN_OPTIONS };

function translate(given: { replayPrompts?: boolean; includePartials?: boolean } = {}) {
  let count = 0;
  const messages = new SdkMessages({
    sessionId: SESSION_ID,
    version: '1.2.3',
    replayPrompts: false,
    includePartials: false,
    includeHooks: false,
    findMessage: async (id) => (id === PROMPT.id ? PROMPT : undefined),
    newId: () => `id-${++count}`,
    ...given,
  });
  return async (...entries: LogEntry[]) => {
    const all = [];
    for (const entry of entries) all.push(...(await messages.ofEntry(entry)));
    return all;
  };
}

test('every message carries a uuid and the session', async () => {
  const all = await translate()(
    queryStarted(PROMPT),
    ...reply([textBlock('a')]),
    {
      type: 'api_retry',
      queryId: 'q',
      attempt: 1,
      maxRetries: 10,
      delayMs: 5,
      status: 529,
      error: 'x',
    },
    queryEnded('p'),
  );

  expect(all).toHaveLength(4);
  for (const message of all) {
    expect(message.uuid).not.toBe('');
    expect(message.session_id).toBe(SESSION_ID);
  }
});

test('init names the model, mode and tools of the query', async () => {
  const [init] = await translate()(queryStarted(PROMPT));

  expect(init).toMatchObject({
    type: 'system',
    subtype: 'init',
    cwd: '/project',
    model: 'claude-sonnet-4-5',
    permissionMode: 'default',
    tools: ['Read', 'Bash'],
    mcp_servers: [],
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: '1.2.3',
  });
});

test('a reply of two blocks is two messages with one message id', async () => {
  const [first, second] = await translate()(...reply([textBlock('a'), textBlock('b')]));

  expect(first).toMatchObject({ type: 'assistant', parent_tool_use_id: null });
  expect(first?.['message']).toMatchObject({ content: [{ text: 'a' }] });
  expect((first?.['message'] as { id: string }).id).toBe(
    (second?.['message'] as { id: string }).id,
  );
});

test('an API error is named on its message', async () => {
  const failed = {
    ...assistantRecord('m', textBlock('API Error')),
    isApiErrorMessage: true,
    error: 'authentication_failed',
  };

  expect(await translate()(record('p', failed))).toMatchObject([
    { error: 'authentication_failed' },
  ]);
});

test('a tool result carries its structured output', async () => {
  const content = [{ type: 'tool_result' as const, tool_use_id: 't', content: 'x' }];
  const result = { ...userRecord({ content }), toolUseResult: { stdout: 'x' } };

  expect(await translate()(record('p', result))).toMatchObject([
    { type: 'user', message: { content }, tool_use_result: { stdout: 'x' } },
  ]);
});

test('what the engine wrote is synthetic, an interruption is not, and a prompt is not shown', async () => {
  const all = await translate()(
    record('p', userRecord({ uuid: 'p', content: 'hi' })),
    record('p', { ...userRecord({ content: 'feedback' }), isMeta: true }),
    record('p', userRecord({ content: 'interrupted' })),
  );

  expect(all.map((message) => message['isSynthetic'])).toEqual([true, undefined]);
});

test('a prompt that is replayed says so', async () => {
  const all = await translate({ replayPrompts: true })(
    record('p', userRecord({ uuid: 'p', content: 'hi and what hooks added' })),
  );

  expect(all).toMatchObject([{ isReplay: true, uuid: 'p', message: { content: 'hi' } }]);
});

test('blocks of a discarded stream are taken back by their uuids', async () => {
  const blocks = reply([textBlock('a'), textBlock('b')], 's');
  const all = await translate()(...blocks, {
    type: 'stream_discarded',
    queryId: 'q',
    stream: 's',
    reason: 'cut',
  });

  const shown = all.slice(0, 2).map(({ uuid }) => uuid);
  expect(all.at(-1)).toMatchObject({ subtype: 'informational', supersedes: shown });
});

test('a stream that showed nothing is discarded without a word', async () => {
  const discarded: LogEntry = { type: 'stream_discarded', queryId: 'q', stream: 's', reason: 'x' };

  expect(await translate()(discarded)).toEqual([]);
});

test('an error result always has its list of errors', async () => {
  const [result] = await translate()(
    queryEnded('p', { subtype: 'error_max_turns', is_error: true }),
  );

  expect(result).toMatchObject({ type: 'result', subtype: 'error_max_turns', errors: [] });
});
