import fc from 'fast-check';
import { outlineRequest } from '../../src/scripted-model/request-outline';

const outline = (request: unknown, indent = 0) => {
  const bytes = Buffer.from(JSON.stringify(request, null, indent));
  return { bytes, ...outlineRequest(bytes) };
};

describe('outline of a request', () => {
  test('finds every top-level value, whatever its content', () => {
    const request = fc.dictionary(
      fc.stringMatching(/^[a-z_]{1,8}$/).filter((key) => key !== 'cache_control'),
      fc.jsonValue(),
    );
    const indent = fc.constantFrom(0, 2);

    fc.assert(
      fc.property(request, indent, (value, spaces) => {
        const { bytes, fields } = outline(value, spaces);

        const found = [...fields].map(([key, [start, end]]): [string, unknown] => [
          key,
          JSON.parse(bytes.toString('utf8', start, end)),
        ]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('counts the assistant messages, and nothing that only looks like one', () => {
    const assistant = { role: 'assistant', content: [{ input: { role: 'assistant' } }] };
    const user = { role: 'user', content: 'quote: {"role":"assistant"} \\" \\' };
    const request = {
      metadata: [{ role: 'assistant' }],
      messages: [user, assistant, user, assistant],
    };

    expect(outline(request).assistantMessages).toBe(2);
    expect(outline(request, 2).assistantMessages).toBe(2);
  });

  test('finds cache marks with the end of their block', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const last = { type: 'text', text: 'a', cache_control };
    const first = { cache_control, type: 'text' };
    const { bytes, cacheMarks } = outline({
      messages: [{ content: [last, first] }],
      cache_control,
    });

    const mark = JSON.stringify({ cache_control }).slice(1, -1);
    const marks = cacheMarks.map(({ mark: [start, end] }) => bytes.toString('utf8', start, end));
    const ends = cacheMarks.map(
      ({ objectEnd }) => objectEnd && bytes.toString('utf8', 0, objectEnd),
    );
    expect(marks).toEqual([`,${mark}`, `${mark},`, `,${mark}`]);
    expect(ends).toEqual([
      `{"messages":[{"content":[${JSON.stringify(last)}`,
      `{"messages":[{"content":[${JSON.stringify(last)},${JSON.stringify(first)}`,
      null,
    ]);
  });

  test('never throws on what is no JSON', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => outlineRequest(Buffer.from(text))).not.toThrow();
      }),
    );
    expect(outlineRequest(Buffer.from('{"a":{"cache_control":{')).cacheMarks).toEqual([]);
  });
});
