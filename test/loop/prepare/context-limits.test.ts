import { toContextLimits, type ContextSettings } from '../../../src/loop/prepare/context-limits';

const limits = (changes: Partial<ContextSettings> = {}) =>
  toContextLimits({
    contextWindow: 200_000,
    maxOutputTokens: 32_000,
    percentOverride: null,
    autoCompactWindow: null,
    ...changes,
  });

test('a window of 200,000 compacts at 167,000, warns at 147,000 and blocks at 177,000', () => {
  expect(limits()).toEqual({
    effectiveWindow: 180_000,
    autoCompactAt: 167_000,
    warningAt: 147_000,
    errorAt: 147_000,
    blockingAt: 177_000,
  });
});

test('a model with less output reserves less', () => {
  expect(limits({ maxOutputTokens: 8_000 }).effectiveWindow).toBe(192_000);
  expect(limits({ contextWindow: 1_000_000 }).autoCompactAt).toBe(967_000);
});

test('a smaller window caps all marks, a larger one none', () => {
  expect(limits({ autoCompactWindow: 100_000 })).toMatchObject({
    effectiveWindow: 80_000,
    autoCompactAt: 67_000,
    blockingAt: 77_000,
  });
  expect(limits({ autoCompactWindow: 500_000 })).toEqual(limits());
});

test.each([
  [50, 90_000],
  [92, 165_600],
  [93, 167_000],
  [100, 167_000],
  [0, 167_000],
  [-5, 167_000],
  [101, 167_000],
  [NaN, 167_000],
])('%d percent of the effective window: compacts at %d', (percentOverride, autoCompactAt) => {
  expect(limits({ percentOverride })).toMatchObject({ autoCompactAt, blockingAt: 177_000 });
});

test('a window smaller than its reserves has marks at nothing', () => {
  expect(limits({ contextWindow: 10_000 })).toEqual({
    effectiveWindow: 0,
    autoCompactAt: 0,
    warningAt: 0,
    errorAt: 0,
    blockingAt: 0,
  });
});
