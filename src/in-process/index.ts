export { MemoryTranscript } from './memory-transcript';
export { runInProcess, type InProcessOptions } from './run-in-process';
