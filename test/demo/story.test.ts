import { isColoured, Story } from '../../src/demo/story';

const ESCAPE = '\u001B[';

function toldBy(tell: (story: Story) => void, isColoured: boolean): string {
  const written: string[] = [];
  let now = 5_000;
  const story = new Story({ write: (text) => written.push(text), isColoured, now: () => now });
  now += 1_240;
  tell(story);
  return written.join('');
}

test('a line tells when, who and what; further lines stand below the first', () => {
  expect(toldBy((story) => story.tell('turn 1', 'Bash a\nb', 'red'), false)).toBe(
    '   1.2s  turn 1     Bash a\n                    b\n',
  );
});

test('without colours there is no escape sequence in anything', () => {
  const text = toldBy((story) => {
    story.title('Title');
    story.tell('Worker 1', 'killed', 'red');
    story.link('Watch it', 'http://127.0.0.1/');
    story.check(false, 'the claim');
  }, false);

  expect(text).not.toContain(ESCAPE);
});

test('with colours the text is marked', () => {
  expect(toldBy((story) => story.tell('Worker 1', 'killed', 'red'), true)).toContain(
    `${ESCAPE}31mkilled`,
  );
});

test.each([
  ['a terminal', true, {}, true],
  ['a file or pipe', false, {}, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['a terminal that cannot', true, { TERM: 'dumb' }, false],
])('%s decides on colours', (_, isTerminal, env, expected) => {
  expect(isColoured(isTerminal, env)).toBe(expected);
});
