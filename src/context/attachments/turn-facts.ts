import type { TranscriptRecord, UserRecord } from '../../transcript/record';
import type { PromptFile } from '../prompt-file';
import type { MemoryPrefetch } from './memory-prefetch';

/** What the sources of attachments may look at, between a turn's results and the next request. */
export interface TurnFacts {
  /** The context since the last compact boundary, the newest results included. What was attached before is read
   *  from it, so a compaction makes the sources forget. */
  readonly chain: readonly TranscriptRecord[];
  /** Results of the turn that has just ended; empty before a query's first request. */
  readonly newResults: readonly UserRecord[];
  /** The session's folder. Absolute. */
  readonly cwd: string;
  /** Where the user's own rules lie, in `rules`; absent: they do not count. */
  readonly configDir?: string;
  /** The skills of the session's folder, of the user and of plugins; absent: none. */
  readonly skills?: readonly PromptFile[];
  /** Folders that file tools may touch. Absolute. */
  readonly roots: readonly string[];
  /** The message that stands before the conversation's first; null: there is none. */
  readonly userContext: string | null;
  /** ISO instant of the conversation's start; its day is what the system prompt tells. */
  readonly startedAt: string;
  /** The host that this is, and the one on which the conversation began; null: there is but one, or nobody knows. */
  readonly hosts: { readonly now: string; readonly began: string } | null;
  readonly now: Date;
  /** Where the session keeps its background shells. */
  readonly shellsFolder: string;
  /** Where the conversation keeps its todo list. */
  readonly todosFile: string;
  /** false: a sub-agent. */
  readonly isMainThread: boolean;
  /** Names of the tools that the next request offers. */
  readonly offeredTools: readonly string[];
  /** Memories looked for since the user's message; omitted: nobody looks. */
  readonly prefetched?: MemoryPrefetch;
  /** Whether permission rules let the file be read; omitted: all files. */
  readonly mayRead?: (file: string) => boolean;
}
