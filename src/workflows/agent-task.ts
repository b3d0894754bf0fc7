import type { QueryInput } from './interface';
import type { Terminal } from '../loop/terminal';
import type { RunOptions } from '../transcript/message';

/** What a Workflow of somebody's wants an agent to do. It enters Event History as it is written here; what comes of
 *  it does not. */
export interface AgentTask {
  /** Taken as it is: no command in it is carried out. */
  readonly prompt: string;
  /** Agent of the Worker that runs it. Omitted: the built-in tools. */
  readonly agent?: string;
  /** Folder of a new session on the Worker's host. Absolute. Omitted: an empty one, made for it. */
  readonly cwd?: string;
  /** The conversation to go on with, of an earlier task that has ended. Omitted: a new one. */
  readonly sessionId?: string;
  /** Over what the Worker's settings say: model, permissionMode, allowedTools, maxTurns, jsonSchema … */
  readonly options?: Partial<RunOptions>;
}

/** Names an answer, which lies in the transcript store. */
export interface AnswerRef {
  readonly sessionId: string;
  readonly messageId: string;
}

export interface AgentAnswer extends AnswerRef {
  readonly reason: Terminal['reason'];
  /** true: there is no answer that counts, and `preview` says why. */
  readonly isError: boolean;
  /** Beginning of the answer, at most 200 characters. All of it: `plugin.resultOf(answer)` in an Activity. */
  readonly preview: string;
  readonly numTurns: number;
  /** USD of its session so far. */
  readonly costUsd: number;
}

/** The query that a task has become. JSON. */
export interface BegunTask extends AnswerRef {
  /** The Activities of a query know their session and prompt by it. */
  readonly workflowId: string;
  readonly input: QueryInput;
}
