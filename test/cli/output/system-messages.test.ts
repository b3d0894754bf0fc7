import { SdkMessages } from '../../../src/cli/output/sdk-messages';
import type { SystemRecord, TranscriptRecord } from '../../../src/transcript/record';
import type { LogEntry } from '../../../src/transcript/session-log';
import { SESSION_ID, userRecord } from '../../support/fake-session';

const AT = '2026-01-02T03:04:05.000Z';

async function messagesFor(entry: LogEntry, { includeHooks = true } = {}) {
  const messages = new SdkMessages({
    sessionId: SESSION_ID,
    version: '1.2.3',
    replayPrompts: false,
    includePartials: false,
    includeHooks,
    findMessage: async () => undefined,
    newId: () => 'new-id',
  });
  return messages.ofEntry(entry);
}

const stamp = { uuid: 'new-id', session_id: SESSION_ID };

function told(of: Partial<SystemRecord> & { readonly subtype: string }): LogEntry {
  const { parentUuid, sessionId, timestamp, cwd, version, userType, isSidechain, uuid } =
    userRecord({ uuid: 'u', content: '' });
  const base = { parentUuid, sessionId, timestamp, cwd, version, userType, isSidechain, uuid };
  const record: TranscriptRecord = { ...base, type: 'system', ...of };
  return { type: 'record', queryId: 'q', record };
}

test('a compaction is its boundary with trigger and size', async () => {
  const boundary = told({
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    level: 'info',
    compactMetadata: { trigger: 'auto', preTokens: 167_102 },
    logicalParentUuid: 'before',
    everloop: {},
  });

  expect(await messagesFor(boundary)).toEqual([
    {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      compact_metadata: { trigger: 'auto', pre_tokens: 167_102 },
      session_id: SESSION_ID,
      uuid: 'u',
      timestamp: AT,
    },
  ]);
});

test('a summary in the place of a conversation is a user message that no user wrote', async () => {
  const record = { ...userRecord({ content: 'This conversation …' }), isCompactSummary: true };

  expect(await messagesFor({ type: 'record', queryId: 'q', record })).toMatchObject([
    { type: 'user', isSynthetic: true, message: { content: 'This conversation …' } },
  ]);
});

test.each(['compacting', null] as const)('status %s is told as it is', async (status) => {
  const entry: LogEntry = { type: 'status', queryId: 'q', status };

  expect(await messagesFor(entry)).toEqual([
    { type: 'system', subtype: 'status', status, ...stamp },
  ]);
});

test('a notice is informational, with its level', async () => {
  const entry: LogEntry = { type: 'notice', queryId: 'q', level: 'warning', text: 'Careful.' };

  expect(await messagesFor(entry)).toEqual([
    {
      type: 'system',
      subtype: 'informational',
      content: 'Careful.',
      level: 'warning',
      ...stamp,
    },
  ]);
});

const hook = { id: 'h', name: 'PreToolUse:Bash', event: 'PreToolUse' };
const started: LogEntry = { type: 'hook_started', queryId: 'q', hook };
const ended = (exitCode: number | null): LogEntry => ({
  type: 'hook_ended',
  queryId: 'q',
  hook,
  ended: { outcome: 'error', exitCode, stdout: 'out', stderr: 'err' },
});
const named = { hook_id: 'h', hook_name: 'PreToolUse:Bash', hook_event: 'PreToolUse' };

test('a hook is told when it starts and when it has answered, with all it wrote', async () => {
  const answered = {
    output: 'outerr',
    stdout: 'out',
    stderr: 'err',
    exit_code: 1,
    outcome: 'error',
  };

  expect(await messagesFor(started)).toEqual([
    { type: 'system', subtype: 'hook_started', ...named, ...stamp },
  ]);
  expect(await messagesFor(ended(1))).toEqual([
    { type: 'system', subtype: 'hook_response', ...named, ...answered, ...stamp },
  ]);
});

test('a hook that was ended by a signal has no exit code', async () => {
  const [message] = await messagesFor(ended(null));

  expect(message).not.toHaveProperty('exit_code');
});

test('clients that did not ask for hooks are told of none', async () => {
  const quiet = { includeHooks: false };

  expect(await messagesFor(started, quiet)).toEqual([]);
  expect(await messagesFor(ended(0), quiet)).toEqual([]);
});

test('a label of a batch names its calls', async () => {
  const toolUseIds = ['a', 'b'];
  const entry: LogEntry = { type: 'tool_use_summary', queryId: 'q', summary: 'Ran it', toolUseIds };

  expect(await messagesFor(entry)).toEqual([
    { type: 'tool_use_summary', summary: 'Ran it', preceding_tool_use_ids: ['a', 'b'], ...stamp },
  ]);
});

test.each(['context_decisions', 'prompt_refused'])(
  'the record %s is bookkeeping: clients are not told',
  async (subtype) => {
    expect(await messagesFor(told({ subtype, content: 'x' }))).toEqual([]);
  },
);

test('a command that was typed is told as one', async () => {
  const command = told({ subtype: 'local_command', content: '/compact', level: 'info' });

  expect(await messagesFor(command)).toMatchObject([
    { type: 'system', subtype: 'local_command', content: '/compact', uuid: 'u' },
  ]);
});
