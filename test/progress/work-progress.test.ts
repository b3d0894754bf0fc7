import type { Shown, StatusLine } from '../../src/progress/status-line';
import { WorkProgress } from '../../src/progress/work-progress';

/** Work on a line that keeps what it was given, and a clock that is set. */
function work(of: { readonly isRewritten: boolean; readonly unit?: string | null }) {
  const shown: (Shown | null)[] = [];
  const said: string[] = [];
  const clock = { nowMs: 0 };
  const line: StatusLine = {
    isRewritten: of.isRewritten,
    show: (one) => void shown.push(one),
    say: (text) => void said.push(text),
    clear: () => undefined,
    close: () => undefined,
  };
  const { unit = 'kills' } = of;
  const options = { title: 'crash test:', unit, failure: 'broken', now: () => clock.nowMs };
  const progress = new WorkProgress(line, options);
  return { progress, clock, said, last: () => shown.at(-1) };
}

test('it tells how far it is, for how long, how much is left, and what went wrong', () => {
  const { progress, clock, last } = work({ isRewritten: true });

  progress.begin(300);
  progress.failed();
  clock.nowMs = 60_000;
  progress.at(75, 'event:query-1:12');
  progress.end();

  expect(last()).toMatchObject({
    head: 'crash test: 75 of 300 kills (25 %) · 1m 00s · about 3 min left · 1 broken',
    body: 'event:query-1:12',
    part: 0.25,
    tone: 'failed',
  });
});

test('before it is known how much there is to do, it tells what is done', () => {
  const { progress, last } = work({ isRewritten: true });

  progress.at(0, 'undisturbed');
  progress.end();

  expect(last()).toMatchObject({ head: 'crash test: · 0s', body: 'undisturbed', part: null });
});

test('what is done now is a line of its own in a log, and rewritten on a terminal', () => {
  const log = work({ isRewritten: false });
  const terminal = work({ isRewritten: true, unit: null });

  for (const { progress } of [log, terminal]) {
    progress.begin(40);
    progress.doing('kill: 1 of 3');
    progress.end();
  }

  expect(log.said).toEqual(['kill: 1 of 3']);
  expect(terminal.said).toEqual([]);
  expect(terminal.last()).toMatchObject({ head: 'crash test: 0 % · 0s', body: 'kill: 1 of 3' });
});
