/** Ends a stream in which nothing comes any more (spec/loop 4.11): a connection may be lost without being closed,
 *  and the attempt would look alive until its own time limit. */
export interface SilenceLimit {
  readonly signal: AbortSignal;
  /** Something came. */
  heard(): void;
  close(): void;
}

/** Long thoughts come without events in between. */
export const SILENCE_LIMIT_MS = 300_000;

export function createSilenceLimit(limitMs: number): SilenceLimit {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new Error(`Nothing came from the API for ${limitMs / 1000} s.`)),
    limitMs,
  );
  return {
    signal: controller.signal,
    heard: () => void timer.refresh(),
    close: () => clearTimeout(timer),
  };
}
