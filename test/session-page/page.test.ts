import { createHash } from 'node:crypto';
import { sessionPage } from '../../src/session-page/page';
import { MOST_ITEMS } from '../../src/session-page/shortened';
import { ShownWords } from '../../src/session-page/shown-words';
import { BEGUN_MS, madeCall, madeQuery, madeRequest, madeSession, madeTurn } from './made-facts';

const FULL = new ShownWords('full');
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert('2')</script>&lt;'`;

/** A session of so many turns, each of a request and two calls side by side. */
const longSession = (turns: number) =>
  madeSession([
    madeQuery(
      Array.from({ length: turns }, (_one, index) => {
        const at = index * 10_000;
        const calls = [madeCall(at + 2_000, at + 9_000), madeCall(at + 2_100, at + 6_000)];
        return madeTurn(index + 1, madeRequest(at, at + 2_000), calls);
      }),
    ),
  ]);

test('nothing that was said becomes markup', () => {
  const call = madeCall(1_000, 2_000, {
    name: HOSTILE,
    summary: HOSTILE,
    failure: HOSTILE,
    outcome: 'error',
    attempts: 2,
    attemptFailure: HOSTILE,
    worker: HOSTILE,
    waits: [{ fromMs: BEGUN_MS + 1_000, toMs: BEGUN_MS + 1_500, decision: HOSTILE }],
  });
  const turn = { ...madeTurn(1, madeRequest(0, 1_000), [call]), text: HOSTILE };
  const query = madeQuery([turn], {
    prompt: HOSTILE,
    model: HOSTILE,
    marks: [{ atMs: BEGUN_MS, type: 'notice', label: HOSTILE, text: HOSTILE }],
    result: { subtype: 'success', is_error: true, terminal_reason: HOSTILE, errors: [HOSTILE] },
  });

  const page = sessionPage(
    madeSession([query], { cwd: HOSTILE, history: { type: 'away', reason: HOSTILE } }),
    FULL,
  );

  expect(page).toContain('&quot;&gt;&lt;img src=x');
  expect(page).not.toMatch(/<img|alert\('2'\)<|<script>alert/);
  expect(page.match(/<script/g)).toHaveLength(1);
});

test('signs that turn the writing around are not passed on', () => {
  const query = madeQuery([madeTurn(1, madeRequest(0, 1_000))], { prompt: 'a\u202Eb' });

  expect(sessionPage(madeSession([query]), FULL)).toContain('<h1>a\uFFFDb</h1>');
});

test('a page allows one script, the styles in it, and no connection', () => {
  const page = sessionPage(longSession(1), FULL);

  const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
  expect(policy).toMatch(/^default-src &#39;none&#39;;/);
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(page) ?? [];
  const digest = createHash('sha256').update(script).digest('base64');
  expect(policy).toContain(`script-src &#39;sha256-${digest}&#39;;`);
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|connect-src/);
  expect(page).not.toMatch(/(?:src|href)="(?!#|data:)/);
});

test('calls that overlapped lie in lanes of their own', () => {
  const page = sessionPage(longSession(1), FULL);

  const [, ...lanes] = page.split('<div class="lane');
  expect(lanes.filter((lane) => lane.includes('class="bar tool'))).toHaveLength(2);
});

test('a sub-agent has lanes of its own below its caller, and a table in its row', () => {
  const subAgent = madeQuery([madeTurn(1, madeRequest(2_000, 3_000))], { queryId: 'agent-1' });
  const call = madeCall(1_500, 4_000, { name: 'Agent', summary: 'Explore: the parser', subAgent });
  const page = sessionPage(
    madeSession([madeQuery([madeTurn(1, madeRequest(0, 1_500), [call])])]),
    FULL,
  );

  expect(page).toMatch(/<div class="lane sub">\s*<span class="name" title="the parser">/);
  expect(page).toContain('id="m1t1c1t1"');
  expect(page).toContain('sub-agent · 1 turn · $0.0100');
});

test('what goes on is drawn up to the moment of the page', () => {
  const call = madeCall(0, null, { outcome: 'running' });
  const query = madeQuery([madeTurn(1, madeRequest(0, 0), [call])], {
    toMs: null,
    state: 'running',
    result: null,
  });

  const page = sessionPage(madeSession([query]), FULL);

  expect(page).toContain('Bash npm test · running · 1 h so far');
  expect(page).toContain('<span class="status running">running</span>');
});

test('what is not known is said', () => {
  const [query] = longSession(1).queries;
  const shown = (history: Parameters<typeof madeSession>[1]) =>
    sessionPage(madeSession([query!], history), FULL);

  expect(shown({ history: { type: 'gone', missing: 1, of: 2 } })).toContain(
    'keeps no Event History of 1 of 2 queries any more',
  );
  expect(shown({ history: { type: 'none' } })).toContain('Recorded elsewhere');
  expect(shown({ history: { type: 'read' } })).not.toContain('class="gaps"');
});

test.each([
  ['full', 'Repair it.', 'Bash npm test'],
  ['names', 'Session 3f1b2c4d', 'Bash · ok'],
  ['none', 'Session 3f1b2c4d', 'a tool · ok'],
] as const)('with detail %s the title is %s and a call is %s', (detail, title, call) => {
  const page = sessionPage(longSession(1), new ShownWords(detail));

  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toContain(call);
  expect(page.includes('npm test')).toBe(detail === 'full');
});

test('a session of 1,000 turns is shown whole', () => {
  const page = sessionPage(longSession(1_000), FULL);

  expect(page.match(/<tr class="turn"/g)).toHaveLength(1_000);
  expect(page).not.toContain('left out');
  expect(page.length).toBeLessThan(8_000_000);
});

test('of a longer one the beginning and the end are shown, and the page does not grow', () => {
  const turns = MOST_ITEMS;
  const page = sessionPage(longSession(turns), FULL);

  expect(page).toContain(`${(turns - MOST_ITEMS / 3).toLocaleString('en-US')} turns and`);
  expect(page).toContain('id="m1t1"');
  expect(page).toContain(`id="m1t${turns}"`);
  expect(page.match(/<tr class="turn"/g)).toHaveLength(MOST_ITEMS / 3);
  expect(page.length).toBeLessThan(12_000_000);
});
