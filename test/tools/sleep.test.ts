import { sleepTool, sleptResult } from '../../src/tools/sleep';
import { createWorkspace, textOf, type Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(() => workspace.remove());

test('it waits, and says how long', async () => {
  const result = await workspace.call(sleepTool, { duration_ms: 30 });

  expect(textOf(result)).toBe('Slept 30 ms.');
});

test('a stop ends it', async () => {
  const stop = new AbortController();
  const asleep = workspace.call(
    sleepTool,
    { duration_ms: 86_400_000 * 30 },
    { signal: stop.signal },
  );
  const ended = expect(asleep).rejects.toThrow();

  stop.abort(new Error('stopped'));

  await ended;
});

test.each([
  [999, '999 ms'],
  [1_000, '1 s'],
  [90_000, '1 min 30 s'],
  [5_400_000, '1 h 30 min'],
  [7_200_000, '2 h'],
  [90_061_000, '1 d 1 h'],
])('%i ms is told as %s', (ms, text) => {
  expect(sleptResult({ ms, isWoken: false }).content).toBe(`Slept ${text}.`);
});

test.each([0, -1, 1.5, 86_400_000 * 30 + 1, '5'])('%p ms is refused', (ms) => {
  expect(sleepTool.inputSchema.safeParse({ duration_ms: ms }).success).toBe(false);
});
