/** What the model and the user's settings say about the context. All counts are tokens. */
export interface ContextSettings {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Compact at this percentage of the effective window instead; it can only lower the mark. */
  readonly percentOverride: number | null;
  /** A smaller window than the model's. */
  readonly autoCompactWindow: number | null;
}

/** Marks in tokens of context; each is reached at the figure itself. */
export interface ContextLimits {
  readonly effectiveWindow: number;
  readonly autoCompactAt: number;
  readonly warningAt: number;
  readonly errorAt: number;
  readonly blockingAt: number;
}

const LARGEST_OUTPUT_RESERVE = 20_000;
const AUTO_COMPACT_RESERVE = 13_000;
const WARNING_DISTANCE = 20_000;
const BLOCKING_RESERVE = 3_000;

/** Source: spec/loop 3.7a, 3.7b, 3.8. A window of 200,000 compacts at 167,000 and blocks at 177,000. */
export function toContextLimits(settings: ContextSettings): ContextLimits {
  const { contextWindow, maxOutputTokens, percentOverride, autoCompactWindow } = settings;
  const window = Math.min(contextWindow, autoCompactWindow ?? contextWindow);
  const effectiveWindow = atLeastZero(window - Math.min(maxOutputTokens, LARGEST_OUTPUT_RESERVE));
  const autoCompactAt = Math.min(
    atLeastZero(effectiveWindow - AUTO_COMPACT_RESERVE),
    percentOf(effectiveWindow, percentOverride),
  );
  const mark = atLeastZero(autoCompactAt - WARNING_DISTANCE);
  return {
    effectiveWindow,
    autoCompactAt,
    warningAt: mark,
    errorAt: mark,
    blockingAt: atLeastZero(effectiveWindow - BLOCKING_RESERVE),
  };
}

/** A percentage that is none does not count; one above 100 lowers nothing. */
function percentOf(window: number, percent: number | null): number {
  if (percent === null || !(percent > 0)) return window;
  return Math.floor((window * percent) / 100);
}

const atLeastZero = (tokens: number): number => Math.max(0, tokens);
