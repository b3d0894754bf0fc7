export { MemoryTranscript } from './memory-transcript';
export type { InProcessOptions, Objection, Stop } from './options';
export { runInProcess } from './run-in-process';
