import {
  dropOldestRounds,
  splitForReactive,
  withoutMedia,
} from '../../../src/loop/prepare/compact-groups';
import {
  answer,
  call,
  chars,
  conversation,
  counted,
  image,
  result,
  rounds,
  said,
  textOf,
  user,
  uuids,
} from './builders';

describe('a summary request that is too long', () => {
  const messages = conversation(said(chars(4_000)), rounds(9, chars(4_000)));
  const dropped = (tokensOver: number | null) =>
    uuids(dropOldestRounds(messages, tokensOver) ?? []);

  test('the oldest rounds go until the gap is covered, and a user message comes first', () => {
    expect(dropped(1_000)).toEqual(['dropped-rounds', ...uuids(messages.slice(1))]);
    expect(dropped(1_001)).toEqual(['dropped-rounds', ...uuids(messages.slice(3))]);
  });

  test('an unknown gap costs a fifth of the rounds', () => {
    expect(dropped(null)).toEqual(['dropped-rounds', ...uuids(messages.slice(3))]);
    expect(dropOldestRounds(conversation(said('go'), rounds(2, 'x')), null)).toHaveLength(5);
  });

  test('the newest round is never dropped', () => {
    expect(dropped(9e9)).toEqual(['dropped-rounds', 'm17', 'm18']);
    expect(uuids(dropOldestRounds(conversation(said('go'), rounds(1, 'x')), 9e9) ?? [])).toEqual([
      'dropped-rounds',
      'm1',
      'm2',
    ]);
  });

  test('another try goes on, it does not drop its own marker', () => {
    const once = dropOldestRounds(messages, 1_000) ?? [];

    expect(uuids(dropOldestRounds(once, 1_000) ?? [])).toEqual([
      'dropped-rounds',
      ...uuids(messages.slice(3)),
    ]);
    expect(textOf(once[0])).toContain('left out');
    expect(once[0]?.role).toBe('user');
  });

  test('nothing is left to drop from a single group', () => {
    expect(dropOldestRounds(conversation(said('go')), null)).toBeNull();
    expect(dropOldestRounds(conversation(rounds(1, 'x')), 5)).toBeNull();
    expect(dropOldestRounds([], 5)).toBeNull();
    expect(dropOldestRounds(dropOldestRounds(messages, 9e9) ?? [], 1)).toBeNull();
  });
});

test('images and documents are replaced by markers, also in results', () => {
  const document = {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'x' },
  } as const;
  const messages = conversation(
    user(image, document, { type: 'text', text: 'Look.' }),
    user({
      type: 'tool_result',
      tool_use_id: 'a',
      content: [document, image, { type: 'text', text: 'b' }],
    }),
    user({ type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'b' }] }),
    result('c', 'text'),
  );

  const plain = withoutMedia(messages);

  expect(plain.slice(0, 2).map(({ content }) => content)).toEqual([
    [
      { type: 'text', text: '[image]' },
      { type: 'text', text: '[document]' },
      { type: 'text', text: 'Look.' },
    ],
    [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: '[document]' },
          { type: 'text', text: '[image]' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  ]);
  expect([plain[2], plain[3]]).toEqual([messages[2], messages[3]]);
  expect(plain[2]).toBe(messages[2]);
  expect(withoutMedia(plain)).toBe(plain);
});

describe('a prompt that the API refused as too long', () => {
  test('the newest round is kept word for word, everything before is summarised', () => {
    const messages = conversation(
      said('go'),
      rounds(2, 'x'),
      call('last', 'Bash', {}, 'last', counted(5)),
      result('last', 'y'),
      said('and'),
    );

    const split = splitForReactive(messages);

    expect(split?.toSummarise).toEqual(messages.slice(0, 5));
    expect(split?.kept).toEqual([{ ...messages[5], usage: null }, messages[6], messages[7]]);
    expect(split?.kept[1]).toBe(messages[6]);
  });

  test('of two rounds the older one is summarised', () => {
    const messages = conversation(said('go'), rounds(2, 'x'));

    expect(uuids(splitForReactive(messages)?.kept ?? [])).toEqual(['m3', 'm4']);
  });

  test.each([
    ['no message', conversation()],
    ['a prompt', conversation(said('go'))],
    ['one round', conversation(said('go'), answer('x'), said('and'))],
  ])('%s cannot be made smaller', (_, messages) => {
    expect(splitForReactive(messages)).toBeNull();
  });
});
