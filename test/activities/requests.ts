import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { Given } from './given';

/** Messages of the n-th request; a negative n counts from the end.
 *  Fails: Error when it never came. */
export function messagesOf({ model }: Given, index: number): readonly MessageParam[] {
  const request = model.requests.at(index);
  if (request === undefined) throw new Error(`There are ${model.requests.length} requests only.`);
  return request.body.messages;
}

/** The n-th request's last message. */
export const lastMessageOf = (at: Given, index: number): readonly ContentBlockParam[] => {
  const content = messagesOf(at, index).at(-1)?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
};

/** Texts of that message, in order. */
export const lastTextsOf = (at: Given, index: number): readonly string[] =>
  lastMessageOf(at, index).flatMap((block) => (block.type === 'text' ? [block.text] : []));

/** Contents of its results, in order. */
export const resultsIn = (at: Given, index: number): readonly string[] =>
  lastMessageOf(at, index).flatMap((block) =>
    block.type === 'tool_result' ? [JSON.stringify(block.content)] : [],
  );

/** Each request begins with the bytes of the one before it.
 *  Fails: naming the first one that does not. */
export function expectSamePrefixes({ model }: Given): void {
  const all = model.requests.map(({ body }) => body.messages);
  all.slice(1).forEach((messages, index) => {
    const before = all[index] ?? [];
    const beginning = messages.slice(0, before.length);
    expect({ index, beginning: JSON.stringify(beginning) }).toEqual({
      index,
      beginning: JSON.stringify(before),
    });
  });
}
