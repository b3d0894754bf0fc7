import type { Trouble } from '../../src/client/session-trouble';
import { SessionWatch } from '../../src/cli/session-watch';

/** What people are told of a session that waits for them. */
async function toldOf(trouble: Trouble): Promise<string> {
  let watch: SessionWatch | undefined;
  try {
    return await new Promise((tell) => {
      watch = new SessionWatch({
        sessionId: 's1',
        look: async () => trouble,
        tell,
        silentMs: 1,
      });
    });
  } finally {
    watch?.stop();
  }
}

test('whoever follows a paused session hears how to let it go on', async () => {
  expect(await toldOf({ type: 'held', crossed: null })).toBe(
    'Session s1 is paused. Let it go on: everloop resume s1',
  );
});

test.each([
  ['usd', 'money', '--usd AMOUNT'],
  ['tokens', 'tokens', '--tokens N'],
  ['turns', 'turns', '--turns N'],
  ['time', 'time', '--minutes N'],
] as const)(
  'whoever follows a session over its limit of %s hears how to raise it',
  async (crossed, limit, flag) => {
    expect(await toldOf({ type: 'held', crossed })).toContain(
      `over its limit of ${limit} and waits for more: everloop budget s1 ${flag}`,
    );
  },
);

test('a server that was silent for one look is not told of; one that stays away is, and that it is back', async () => {
  const away: Trouble = { type: 'server_away' };
  const looks = [away, null, away, away, away, null];
  const told: string[] = [];

  await new Promise<void>((resolve) => {
    const watch = new SessionWatch({
      sessionId: 's1',
      look: async () => {
        const found = looks.shift();
        if (found !== undefined) return found;
        watch.stop();
        resolve();
        return null;
      },
      tell: (line) => told.push(line),
      silentMs: 1,
    });
  });

  expect(told).toEqual([
    expect.stringContaining('does not answer. The session waits'),
    'The Temporal server answers again.',
  ]);
});
