import { OutcomeUnknown } from '../../tools/outcome-unknown';
import { TakenOver } from '../../tools/taken-over';
import { ToolError, type Tool, type ToolContext, type ToolResult } from '../../tools/tool';
import type { ToolResultContent } from '../../transcript/record';

/** How a call ended, before it is a record. */
export interface Ran {
  readonly content: ToolResultContent;
  readonly structured: unknown;
  readonly isError: boolean;
  readonly denied?: true;
  /** No further reply is wanted. */
  readonly terminate?: true;
  /** Who denied it wants the query to end as well. */
  readonly interrupts?: true;
  /** It is the value that the caller asked for. */
  readonly isStructuredOutput?: true;
  readonly result?: ToolResult;
}

/** Failed and refused calls are results like any other: the model reads them and adapts. */
export const failed = (text: string, structured: unknown = `Error: ${text}`): Ran => ({
  content: text,
  structured,
  isError: true,
});

/** Refused before anything happened (spec/loop 5.2-5.4). */
export const refused = (text: string): Ran =>
  failed(`<tool_use_error>${text}</tool_use_error>`, `Error: ${text}`);

const LONGEST_ERROR_CHARS = 10_000;

/** Runs the tool itself. Rejects only when the attempt is stopped, over, or taken over by another. */
export async function runToItsEnd(tool: Tool, input: unknown, context: ToolContext): Promise<Ran> {
  try {
    const result = await tool.call(input, context);
    const { content, structured, isError = false, terminate, isStructuredOutput } = result;
    return {
      content,
      structured,
      isError,
      result,
      ...(terminate && { terminate }),
      ...(isStructuredOutput && { isStructuredOutput }),
    };
  } catch (error) {
    if (context.signal.aborted || context.workerGone.aborted) throw error;
    if (error instanceof TakenOver) throw error;
    if (error instanceof OutcomeUnknown) return unknownOutcome(error.message);
    const text = error instanceof Error ? error.message : String(error);
    return failed(cutMiddle(text), error instanceof ToolError ? error.structured : undefined);
  }
}

/** How the answer about such a call begins. */
export const UNKNOWN_OUTCOME = 'Outcome unknown:';

/** The honest answer about a call that was under way when its Worker died. */
export const unknownOutcome = (detail: string): Ran =>
  failed(
    `${UNKNOWN_OUTCOME} this call was started, and the process that ran it was lost before it could report. ${detail} ` +
      'It may have had its whole effect, part of it, or none. Look at the result of its work before you repeat it.',
  );

function cutMiddle(text: string): string {
  if (text.length <= LONGEST_ERROR_CHARS) return text;
  const half = LONGEST_ERROR_CHARS / 2;
  const left = text.length - LONGEST_ERROR_CHARS;
  return `${text.slice(0, half)}\n\n… ${left} characters left out …\n\n${text.slice(-half)}`;
}
