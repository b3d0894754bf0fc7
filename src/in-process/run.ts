import type { RecordFacts } from '../activities/new-record';
import type { Gates } from '../loop/gates';
import type { Tool } from '../tools/tool';
import type { MemoryTranscript } from './memory-transcript';
import type { InProcessOptions } from './options';

/** What one run is made of. */
export interface Run {
  readonly options: InProcessOptions;
  readonly tools: readonly Tool[];
  readonly transcript: MemoryTranscript;
  readonly workingDirectory: string;
  readonly maxOutputTokens: number;
  readonly gates: Gates;
  readonly stop: AbortSignal;
  readonly facts: () => RecordFacts;
}
