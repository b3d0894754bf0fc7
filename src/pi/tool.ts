import type { Anything } from './anything';
import type { ImageContent, TextContent } from './message';
import type { Tool } from './model';
import type { Static } from './static';

/** `sequential`: the calls of a reply run one after the other. `parallel`: they are prepared in order, then run at
 *  the same time. One sequential tool makes its whole batch sequential. */
export type ToolExecutionMode = 'sequential' | 'parallel';

/** What a tool gives back, in the end or on the way. */
export interface AgentToolResult<Details> {
  /** For the model. */
  content: (TextContent | ImageContent)[];
  /** For the application: logs, screens. */
  details: Details;
  /** true: no further reply is wanted. Counts only if every result of the batch says so. */
  terminate?: boolean;
}

export type AgentToolUpdateCallback<Details = Anything> = (
  partialResult: AgentToolResult<Details>,
) => void;

export interface AgentTool<Parameters = Anything, Details = Anything> extends Tool<Parameters> {
  /** For people. */
  label: string;
  /** Makes raw arguments fit the schema before they are checked against it. */
  prepareArguments?(args: unknown): Static<Parameters>;
  /** Throws to fail: the model reads the error's text. */
  execute(
    toolCallId: string,
    params: Static<Parameters>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<Details>,
  ): Promise<AgentToolResult<Details>>;
  executionMode?: ToolExecutionMode;
}
