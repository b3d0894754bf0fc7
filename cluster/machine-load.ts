import { loadavg } from 'node:os';

/** Processes that wanted to run, on average of the last minute. A time says little without it. */
export const machineLoad = (): number => Number((loadavg()[0] ?? Number.NaN).toFixed(1));

/** For the end of a line that has a time. */
export const atLoad = (): string => ` (load ${machineLoad()})`;
