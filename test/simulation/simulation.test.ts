import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { simulate } from '../../src/simulation/simulate';

/** The built one: it plays a history five times as fast as a test can. */
const MAIN = join(__dirname, '../../dist/simulation/main.js');

const SEEDS = 2_000;
const MINUTES = 60_000;

test(
  `no crash in ${SEEDS} histories loses, repeats or hides anything`,
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--seeds', `${SEEDS}`]);

    process.stdout.write(stdout);
    expect(stdout).toContain(`${SEEDS} seeds from 1, 0 with violations`);
    const lost = [...stdout.matchAll(/(\d+) × (?:kill|stop|power cut)/g)].map(([, n]) => Number(n));
    expect(lost.reduce((sum, n) => sum + n)).toBeGreaterThan(SEEDS / 2);
  },
  10 * MINUTES,
);

test.each([32_761, 40_245])('seed %d, which once broke a promise, breaks none', async (seed) => {
  expect((await simulate({ seed })).violations).toEqual([]);
});

test(
  'a store that reports a record before it is on disk is found out',
  async () => {
    let found: readonly string[] = [];

    for (let seed = 1; seed <= SEEDS && found.length === 0; seed++) {
      found = (await simulate({ seed, plant: 'early_report' })).violations;
    }

    expect(found).not.toEqual([]);
  },
  10 * MINUTES,
);

test('the same seed is the same history, step by step', async () => {
  const traceOf = async (): Promise<string> => {
    const lines: string[] = [];
    await simulate({ seed: 7, trace: (line) => lines.push(line) });
    // Only names that are drawn anew each time may differ.
    return lines.join('\n').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\.[0-9a-f]{12}\./g, '…');
  };

  const first = await traceOf();

  expect(first.split('\n').length).toBeGreaterThan(100);
  expect(await traceOf()).toBe(first);
});

test('the real world is back when a history is over', async () => {
  const { setTimeout } = globalThis;

  await simulate({ seed: 1 });

  expect(globalThis.setTimeout).toBe(setTimeout);
  expect(Math.abs(new Date().getTime() - performance.timeOrigin - performance.now())).toBeLessThan(
    60_000,
  );
});
