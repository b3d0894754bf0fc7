import { z } from 'zod';
import { OutcomeUnknown } from '../tools/outcome-unknown';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../tools/tool';
import type { ToolDefinition } from './catalog';
import { CallFailure } from './failure';
import { toResultContent } from './result-content';
import type { SessionServers } from './session-servers';
import { toToolName } from './tool-name';

/** The server checks what it is given: its schema may say more than we can. */
const AnyInput = z.record(z.string(), z.unknown());
type AnyInput = z.infer<typeof AnyInput>;

/** A tool of a server. What the server says of it is a hint: permission is asked for whatever it says. */
export function serverTool(
  servers: SessionServers,
  server: string,
  { name, description, inputSchema, annotations = {} }: ToolDefinition,
): Tool<AnyInput> {
  const isReadOnly = annotations.readOnlyHint === true;
  return defineTool({
    name: toToolName(server, name),
    description,
    inputSchema: AnyInput,
    inputJsonSchema: inputSchema,
    resultLimitChars: servers.limits.resultChars,
    effect: isReadOnly ? 'rerun' : 'unknown',
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    summarize: (input) => summaryOf(annotations.title ?? name, input),
    call: (input, context) => call({ servers, server, name, isReadOnly }, input, context),
  });
}

interface Called {
  readonly servers: SessionServers;
  readonly server: string;
  readonly name: string;
  readonly isReadOnly: boolean;
}

async function call(
  { servers, server, name, isReadOnly }: Called,
  input: AnyInput,
  context: ToolContext,
): Promise<ToolResult> {
  const signal = AbortSignal.any([context.signal, context.workerGone]);
  const onProgress = (text: string): void => context.onProgress({ text });
  try {
    const result = await servers.use(
      server,
      (connection, timeoutMs) =>
        connection.callTool(name, input, { signal, timeoutMs, onProgress }),
      { mayRepeat: isReadOnly, signal },
    );
    return {
      content: await toResultContent(result, context.callFolder),
      structured: result.structuredContent ?? result.content,
      ...(result.isError === true && { isError: true }),
    };
  } catch (error) {
    throw toToolFailure(error, isReadOnly);
  }
}

/** What the model should read; every other error stays what it is. */
function toToolFailure(error: unknown, isReadOnly: boolean): unknown {
  if (!(error instanceof CallFailure)) return error;
  const isUnknown = (error.type === 'lost' || error.type === 'late') && !isReadOnly;
  return isUnknown ? new OutcomeUnknown(error.message) : new ToolError(error.message);
}

/** The first short texts of the input say most. */
function summaryOf(name: string, input: AnyInput): string {
  const texts = Object.values(input).filter((value) => typeof value === 'string');
  return [name, ...texts].join(' ');
}
