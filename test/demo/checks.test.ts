// Needs: node; runs the project's test in a temporary folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '../../src/demo/check';
import { checkHistory } from '../../src/demo/history-checks';
import { checkProject } from '../../src/demo/project-checks';
import { FIX_THE_BUG_FILES } from '../../src/scripted-model/scripts/fix-the-bug';

const failedClaims = (checks: readonly Check[]): readonly string[] =>
  checks.filter(({ problem }) => problem !== null).map(({ claim }) => claim);

describe('the project', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'everloop-demo-checks-'));
    for (const [name, content] of Object.entries(FIX_THE_BUG_FILES))
      writeFileSync(join(folder, name), content);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const edit = (name: string, from: string, to: string): void => {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  };

  test('passes when the bug is fixed', () => {
    edit('sum.js', 'let i = 1', 'let i = 0');

    expect(failedClaims(checkProject(folder))).toEqual([]);
  });

  test('fails while the bug is there', () => {
    expect(failedClaims(checkProject(folder))).toEqual([
      'the test passes when the demo runs it',
      'sum.js is right for other numbers too',
    ]);
  });

  test('fails when the agent has bent the test', () => {
    edit('sum.test.js', 'sum([1, 2, 3]), 6', 'sum([1, 2, 3]), 5');

    expect(failedClaims(checkProject(folder))).toEqual([
      'sum.js is right for other numbers too',
      'sum.test.js is as it was',
    ]);
  });

  test('fails when sum.js only knows the numbers of the test', () => {
    edit('sum.js', 'return total;', 'return numbers.length * 2;');

    expect(failedClaims(checkProject(folder))).toEqual(['sum.js is right for other numbers too']);
  });
});

describe('the Event History', () => {
  const started = (identity: string, attempt: number) => ({
    activityTaskStartedEventAttributes: { identity, attempt },
  });
  const decided = (identity: string) => ({ workflowTaskStartedEventAttributes: { identity } });

  test('passes with two Workers and one Activity that changed hands', () => {
    const events = [decided('a'), started('a', 1), started('b', 2), decided('b'), started('b', 1)];

    expect(failedClaims(checkHistory({ events }))).toEqual([]);
  });

  test('fails when one Worker did everything', () => {
    const checks = checkHistory({ events: [decided('a'), started('a', 1)] });

    expect(checks.map(({ problem }) => problem)).toEqual(['1 of them', '0 were']);
  });
});
