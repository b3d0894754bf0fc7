import { performance } from 'node:perf_hooks';

/** Milliseconds of the machine's monotonic clock, with microseconds behind the point. All processes of one machine
 *  read the same clock, so instants of two processes can be compared. */
export function clockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** How far the wall clock is ahead of it. */
export function wallClockOffsetMs(): number {
  return performance.timeOrigin + performance.now() - clockMs();
}
