import { microcompactBySize, microcompactByTime } from '../../../src/loop/prepare/microcompact';
import {
  block,
  chars,
  contents,
  conversation,
  image,
  call,
  result,
  round,
  rounds,
  said,
  user,
} from './builders';

const HOUR_MS = 3_600_000;
const CLEARED = expect.stringContaining('cleared') as unknown;
const at = (atMs: number) => block({ type: 'text', text: 'done' }, null, null, atMs);

describe('by time', () => {
  test('an hour after the last reply, all but the five newest results are cleared', () => {
    const messages = conversation(said('go'), rounds(7, 'output'), at(1_000));

    const compacted = microcompactByTime(messages, 1_000 + HOUR_MS);

    expect(contents(compacted.messages)).toMatchObject({
      c0: CLEARED,
      c1: CLEARED,
      c2: 'output',
      c6: 'output',
    });
    expect(compacted.fresh).toEqual([
      { toolUseId: 'c0', text: CLEARED, original: null },
      { toolUseId: 'c1', text: CLEARED, original: null },
    ]);
    expect(compacted.messages[6]).toBe(messages[6]);
  });

  test('a millisecond earlier, nothing happens', () => {
    const messages = conversation(said('go'), rounds(7, 'output'), at(1_000));

    expect(microcompactByTime(messages, 999 + HOUR_MS)).toEqual({ messages, fresh: [] });
  });

  test('what a user has just said keeps nothing warm', () => {
    const fresh = { ...said('Are you there?'), atMs: 1_000 + HOUR_MS };
    const messages = conversation(rounds(6, 'output'), at(1_000), fresh);

    expect(microcompactByTime(messages, 1_000 + HOUR_MS).fresh).toHaveLength(1);
  });

  test('before the first reply nothing is old', () => {
    const messages = conversation(said('go'));

    expect(microcompactByTime(messages, 9 * HOUR_MS).messages).toBe(messages);
  });

  test('results of other tools stay, and do not count among the newest', () => {
    const messages = conversation(
      rounds(6, 'output'),
      Array.from({ length: 9 }, (_, index) => round(`o${index}`, 'other', 'mcp__db')).flat(),
    );

    const { fresh } = microcompactByTime(messages, HOUR_MS);

    expect(fresh.map(({ toolUseId }) => toolUseId)).toEqual(['c0']);
  });

  test.each(['Read', 'Bash', 'Grep', 'Glob', 'WebSearch', 'WebFetch', 'Edit', 'Write'])(
    'a result of %s may go',
    (tool) => {
      const messages = conversation(round('old', 'output', tool), rounds(5, 'output'));

      expect(contents(microcompactByTime(messages, HOUR_MS).messages)['old']).toEqual(CLEARED);
    },
  );

  test('images go as well; error marks and pairing stay', () => {
    const shot = { type: 'tool_result', tool_use_id: 'old', content: [image] } as const;
    const messages = conversation(
      call('old'),
      user({ ...shot, content: [...shot.content], is_error: true }),
      rounds(5, 'output'),
    );

    expect(microcompactByTime(messages, HOUR_MS).messages[1]?.content).toEqual([
      { ...shot, content: CLEARED, is_error: true },
    ]);
  });

  test('what is cleared is not cleared again', () => {
    const messages = conversation(rounds(7, 'output'));
    const once = microcompactByTime(messages, HOUR_MS).messages;

    const twice = microcompactByTime(once, 2 * HOUR_MS);

    expect(twice.messages).toBe(once);
    expect(twice.fresh).toEqual([]);
  });
});

describe('by size', () => {
  const oversized = `${chars(2_000)}${'-'.repeat(56_001)}${'y'.repeat(2_000)}`;
  const place = (id: string) => `/results/${id}`;

  test('more than 20,000 tokens that are no longer new: the beginning, the end, and what was cut', () => {
    const messages = conversation(round('old', oversized), rounds(5, 'output'));

    const compacted = microcompactBySize(messages, place);

    expect(contents(compacted.messages)['old']).toBe(
      `${chars(2_000)}\n[… 56001 of 60001 characters were cut here. The whole text is in: /results/old]\n${'y'.repeat(2_000)}`,
    );
    expect(compacted.fresh[0]).toMatchObject({ toolUseId: 'old', original: oversized });
    expect(compacted.messages[2]).toBe(messages[2]);
  });

  test('20,000 tokens stay', () => {
    const messages = conversation(round('old', chars(60_000)), rounds(5, 'output'));

    expect(microcompactBySize(messages, place).messages).toBe(messages);
  });

  test('among the five newest, any size stays', () => {
    const messages = conversation(round('old', oversized), rounds(4, 'output'));

    expect(microcompactBySize(messages, place).messages).toBe(messages);
  });

  test('without a place the line names none, and nothing has to be stored', () => {
    const messages = conversation(round('old', oversized), rounds(5, 'output'));

    const [fresh] = microcompactBySize(messages, () => null).fresh;

    expect(fresh?.text).toContain('[… 56001 of 60001 characters were cut here.]');
    expect(fresh?.original).toBeNull();
  });

  test('images and results of other tools stay', () => {
    const messages = conversation(
      call('shot'),
      user({
        type: 'tool_result',
        tool_use_id: 'shot',
        content: [image, { type: 'text', text: oversized }],
      }),
      round('other', oversized, 'mcp__db'),
      result('stray', oversized),
      rounds(5, 'output'),
    );

    expect(microcompactBySize(messages, place).messages).toBe(messages);
  });
});
