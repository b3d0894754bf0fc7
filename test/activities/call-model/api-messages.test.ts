import { randomUUID } from 'node:crypto';
import type { ContentBlock, ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import { toApiMessages as fromContext } from '../../../src/activities/call-model/api-messages';
import { toContextMessages } from '../../../src/activities/conversation/context-messages';
import {
  attachmentRecord,
  commandRecord,
  syntheticReply,
  userRecord,
} from '../../../src/activities/new-record';
import { NO_USAGE } from '../../../src/loop/usage';
import { requireValidConversation } from '../../../src/scripted-model/conversation-rules';
import type { TranscriptRecord } from '../../../src/transcript/record';

const facts = { sessionId: 's', cwd: '/', timestamp: '2026-11-21T10:00:00.000Z', version: '1' };

const toApiMessages = (chain: readonly TranscriptRecord[], userContext: string | null) =>
  fromContext(toContextMessages(chain, 'm'), userContext);

const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} }) as const;
const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const;
const result = (id: string) =>
  ({ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }) as const;
const missing = (id: string): ContentBlockParam => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'No result of this call was recorded.',
  is_error: true,
});

const user = (...content: readonly ContentBlockParam[]) => userRecord(facts, content);
const apiError = syntheticReply(facts, { text: 'API error (500)', error: 'server_error' });
const localCommand = commandRecord(facts, '/help');

/** One record per block, as a reply is recorded. */
function reply(...blocks: readonly (typeof thought | ReturnType<typeof text | typeof call>)[]) {
  const message = {
    id: randomUUID(),
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: null,
    stop_sequence: null,
    usage: NO_USAGE,
  } as const;
  return blocks.map((block): TranscriptRecord => ({
    ...apiError,
    uuid: randomUUID(),
    isApiErrorMessage: false,
    message: { ...message, content: [block as ContentBlock] },
  }));
}

test.each<[string, readonly TranscriptRecord[], readonly (readonly ContentBlockParam[])[]]>([
  [
    'the blocks of a reply are one message',
    [user(text('1')), ...reply(text('a'), call('x')), user(result('x'))],
    [[text('1')], [text('a'), call('x')], [result('x')]],
  ],
  [
    'what users and the engine say in a row is one message',
    [user(text('1')), attachmentRecord(facts, 'nudge', 'go on'), userRecord(facts, '2')],
    [[text('1'), text('go on'), text('2')]],
  ],
  [
    'results stand first, in the order of the calls',
    [
      user(text('1')),
      ...reply(call('x'), call('y')),
      user(text('note'), result('y')),
      user(result('x')),
    ],
    [[text('1')], [call('x'), call('y')], [result('x'), result('y'), text('note')]],
  ],
  [
    'a call without a result gets one that says so',
    [user(text('1')), ...reply(call('x'), call('y')), user(result('y'), text('2'))],
    [[text('1')], [call('x'), call('y')], [missing('x'), result('y'), text('2')]],
  ],
  [
    'a call at the very end gets a result',
    [user(text('1')), ...reply(call('x'))],
    [[text('1')], [call('x')], [missing('x')]],
  ],
  [
    'a result without its call is dropped, and its neighbours join',
    [user(text('1')), ...reply(text('a')), user(result('x')), ...reply(text('b'))],
    [[text('1')], [text('a'), text('b')]],
  ],
  [
    'of two results of one call the first counts',
    [
      user(text('1')),
      ...reply(call('x')),
      user(result('x')),
      user({ ...result('x'), content: '' }),
    ],
    [[text('1')], [call('x')], [result('x')]],
  ],
  [
    'errors of the API and commands that were answered here are not sent',
    [user(text('1')), apiError, localCommand, user(text('2'))],
    [[text('1'), text('2')]],
  ],
  [
    'texts of white space only are not sent',
    [user(text('1')), ...reply(text('\n\n'), call('x')), user(result('x'), text(' '))],
    [[text('1')], [call('x')], [result('x')]],
  ],
  [
    'a message does not end with a thought, and is none if it is all thoughts',
    [
      user(text('1')),
      ...reply(text('a'), thought),
      user(text('2')),
      ...reply(thought),
      user(text('3')),
    ],
    [[text('1')], [text('a')], [text('2'), text('3')]],
  ],
])('%s', (_claim, chain, expected) => {
  expect(toApiMessages(chain, null).map(({ content }) => content)).toEqual(expected);
});

test('memory stands before everything else', () => {
  const messages = toApiMessages([user(text('1')), ...reply(text('a'))], 'memory');

  expect(messages[0]).toEqual({ role: 'user', content: [text('memory'), text('1')] });
});

const words = fc.constantFrom('one', 'two', '', ' \n').map(text);
const ids = fc.constantFrom('a', 'b', 'c', 'd');
/** Each call of a conversation has an id of its own; results name calls that were made, and others. */
const conversation = fc
  .array(
    fc.oneof(
      fc
        .array(fc.oneof(words, ids.map(result)), { maxLength: 3 })
        .map((blocks) => [user(...blocks)]),
      fc.array(fc.oneof(words, fc.constant(thought), fc.constant('call')), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.constant([apiError]),
      fc.constant([localCommand]),
    ),
    { maxLength: 12 },
  )
  .map((steps) => {
    let calls = 0;
    const nextCall = () => call('abcd'[calls] ?? `more-${calls}`);
    return steps.flatMap((step) =>
      step.flatMap((item) => {
        if (typeof item === 'object' && 'uuid' in item) return [item];
        if (item !== 'call') return reply(item);
        const made = reply(nextCall());
        calls += 1;
        return made;
      }),
    );
  });

test('whatever was recorded, the conversation keeps the rules of the API', () => {
  fc.assert(
    fc.property(conversation, (records) => {
      const messages = toApiMessages([user(text('begin')), ...records], null);

      requireValidConversation(messages);
      messages.forEach(({ role }, index) =>
        expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant'),
      );
      expect(JSON.stringify(messages)).not.toContain('API error');
    }),
    { numRuns: 500 },
  );
});

test('a request begins with the whole request before it when a reply and its results are added', () => {
  fc.assert(
    fc.property(conversation, (records) => {
      const before = [user(text('begin')), ...records, user(text('go'))];
      const added = [...reply(text('a'), call('z')), user(result('z'))];

      const first = toApiMessages(before, null);
      const second = toApiMessages([...before, ...added], null);

      expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
    }),
    { numRuns: 500 },
  );
});
