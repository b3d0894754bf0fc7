import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { ask, withModel } from './with-model';

const user = (...content: ContentBlockParam[]): MessageParam => ({ role: 'user', content });
const assistant = (...content: ContentBlockParam[]): MessageParam => ({
  role: 'assistant',
  content,
});
const text = (words: string): ContentBlockParam => ({ type: 'text', text: words });
const use = (id: string): ContentBlockParam => ({ type: 'tool_use', id, name: 'Ls', input: {} });
const result = (id: string): ContentBlockParam => ({ type: 'tool_result', tool_use_id: id });

const hello = user(text('hello'));

describe('a strict scripted model', () => {
  test.each([
    ['in one message', [hello, assistant(use('a'), use('b')), user(result('b'), result('a'))]],
    [
      'in several',
      [hello, assistant(use('a')), assistant(use('b')), user(result('a')), user(result('b'))],
    ],
  ])('accepts tool_results for each tool_use, %s', async (_, messages) => {
    await withModel({ script: [{}], isStrict: true }, async (model, client) => {
      await client.messages.create({ ...ask(), messages });

      model.assertConsumed();
    });
  });

  test.each<[string, MessageParam[], string]>([
    ['no message', [], 'at least one message'],
    ['an assistant first', [assistant(text('hi'))], 'must be a user message'],
    ['an empty message', [hello, assistant(), hello], 'turn 1: content must not be empty'],
    ['blank text', [user(text(' '))], 'more than white space'],
    [
      'a missing result',
      [hello, assistant(use('a'), use('b')), user(result('a'))],
      'tool_use b has no',
    ],
    [
      'a result too late',
      [hello, assistant(use('a')), hello, assistant(text('hi')), user(result('a'))],
      'tool_use a has no',
    ],
    ['an orphan result', [hello, assistant(text('hi')), user(result('a'))], 'tool_result a has no'],
    [
      'two results',
      [hello, assistant(use('a')), user(result('a'), result('a'))],
      'two tool_results',
    ],
    ['an open tool_use', [hello, assistant(use('a'))], 'at the end has no tool_result'],
  ])('%s → 400 with the rule', async (_, messages, rule) => {
    await withModel({ script: [{}], isStrict: true }, async (model, client) => {
      const error: unknown = await client.messages
        .create({ ...ask(), messages })
        .catch((e: unknown) => e);

      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(String(error)).toContain(rule);
      expect(() => model.assertConsumed()).toThrow(rule);
    });
  });
});
