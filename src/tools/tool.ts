import type { WebSearchTool20250305 } from '@anthropic-ai/sdk/resources/messages';
import type { z } from 'zod';
import type { SandboxState } from '../sandbox/sandbox';
import type { FileSnapshot } from './file-snapshot';
import type { FileSeen, ToolResultContent } from '../transcript/record';

/** What a tool is to the loop. One file per tool; `defineTool` fills in the safe defaults. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Told to the model. */
  readonly description: string;
  readonly inputSchema: z.ZodType<Input>;
  /** Told to the model instead of what is derived from `inputSchema`. */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>;
  /** Characters of text a result may have before it is stored in a file and replaced by a preview. */
  readonly resultLimitChars: number;
  /** What a new attempt does when an earlier one may have run and left no result:
   *  `rerun` it (no effect, or the same effect again), `reattach` to the process that outlived the Worker,
   *  or report the outcome as `unknown`. */
  readonly effect: 'rerun' | 'reattach' | 'unknown';
  /** true: its calls are questions to a person. The model is told of it only where somebody answers. */
  readonly isQuestion?: true;
  /** The API carries its calls out itself, under this name: none comes here. Absent: we do. */
  readonly serverTool?: ServerTool;
  /** May be true only when the input cannot change anything. */
  isReadOnly(input: Input): boolean;
  /** May overlap with other safe calls. A throw counts as false. */
  isConcurrencySafe(input: Input): boolean;
  /** A few words for people: "npm test". Cut and redacted by the caller. */
  summarize(input: Input): string;
  /** Refuses a well-formed input before anything happens; the text goes to the model. */
  validateInput(input: Input, context: ToolContext): Promise<string | null>;
  call(input: Input, context: ToolContext): Promise<ToolResult>;
}

/** A tool of the API, as requests name it. */
export type ServerTool = WebSearchTool20250305;

/** Asks a small, quick model about a text. Resolves with its answer.
 *  Fails: Error when it gave none, and with the reason of the signal. */
export type AskSmallModel = (
  question: { readonly system: string; readonly text: string; readonly maxTokens: number },
  signal: AbortSignal,
) => Promise<string>;

export interface ToolContext {
  /** The shell's folder; relative paths are relative to it. Absolute. */
  readonly workingDirectory: string;
  /** Folders that file tools may touch. Absolute, links resolved. */
  readonly roots: readonly string[];
  /** Files that this conversation has seen, by absolute path. */
  readonly filesSeen: ReadonlyMap<string, FileSeen>;
  /** A private folder of this call that outlives the Worker; a later attempt gets the same one. */
  readonly callFolder: string;
  /** Where the session keeps its background shells; null: this host keeps none. */
  readonly shellsFolder: string | null;
  /** Where the conversation keeps its todo list; null: this host keeps none. */
  readonly todosFile: string | null;
  /** What commands may touch; absent: all that the Worker may. */
  readonly sandbox?: SandboxState;
  /** null: this host has no model for tools. */
  readonly askSmallModel: AskSmallModel | null;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** Aborts when the call should stop; `call` then ends everything it started and rejects with `signal.reason`. */
  readonly signal: AbortSignal;
  /** Aborts when only this Worker goes: what outlives it is left running. */
  readonly workerGone: AbortSignal;
  /** Keeps what a file was, on disk, before the file changes. Absent: nobody keeps it. */
  readonly beforeChange?: (change: ComingChange) => Promise<void>;
  /** Tells observers how far it is: the end of its output, and how long all of it is. Never waits. */
  onProgress(progress: { readonly text: string; readonly bytes?: number }): void;
}

/** What a tool is about to make of a file. `path`: absolute, links resolved. */
export interface ComingChange {
  readonly path: string;
  /** The one of the context's roots that it lies in. */
  readonly root: string;
  /** undefined: there is no file. */
  readonly existing: FileSnapshot | undefined;
  readonly bytes: Buffer;
}

export interface ToolResult {
  readonly content: ToolResultContent;
  /** For observers (`tool_use_result`); JSON. */
  readonly structured: unknown;
  readonly isError?: boolean;
  /** It is the value that the caller asked for: the query ends. */
  readonly isStructuredOutput?: true;
  /** Permission rules that hold for the rest of the query. */
  readonly allows?: readonly string[];
  /** true: no further reply is wanted. Counts only if every call of the reply says so. */
  readonly terminate?: true;
  readonly filesSeen?: readonly FileSeen[];
  /** Where the shell stands now, if it moved. */
  readonly workingDirectory?: string;
}

/** A failure that the model should read and adapt to. Plain errors are bugs of ours or of the tool. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(
    message: string,
    /** What `tool_use_result` shows, if more than the message. */
    readonly structured?: unknown,
  ) {
    super(message);
  }
}

type ToolDefinition<Input> = Pick<
  Tool<Input>,
  'name' | 'description' | 'inputSchema' | 'call' | 'summarize'
> &
  Partial<Tool<Input>>;

/** Default: mutating, alone, outcome unknown after a crash, 50,000 characters (spec/loop 3.3, 4.14). */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  return {
    aliases: [],
    resultLimitChars: 50_000,
    effect: 'unknown',
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    validateInput: () => Promise.resolve(null),
    ...definition,
  };
}
