import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { ToolUse } from '../loop/context';
import { preview } from '../redact/preview';
import type { RunOptions } from '../transcript/message';
import type { LimitedDetail } from '../visibility/ui-detail';
import { isMcpToolName } from '../mcp/tool-name';
import { structuredOutputTool } from '../tools/structured-output';
import type { Tool } from '../tools/tool';

/** The tools that requests tell the model of: what is a question only where somebody answers. */
export function offeredTools(tools: readonly Tool[], options: RunOptions): readonly Tool[] {
  return availableTools(tools, options).filter(
    ({ isQuestion }) => isQuestion !== true || options.asks !== undefined,
  );
}

/** The tools that a message's options let be called. */
export function availableTools(
  tools: readonly Tool[],
  { tools: names, jsonSchema, subAgent }: RunOptions,
): readonly Tool[] {
  const chosen =
    names === null
      ? tools
      : tools.filter(
          (tool) =>
            // A user's list chooses among the tools of the program; an agent's among all.
            (subAgent === undefined && isMcpToolName(tool.name)) ||
            [tool.name, ...tool.aliases].some((name) => names.includes(name)),
        );
  return jsonSchema == null ? chosen : [...chosen, structuredOutputTool(jsonSchema)];
}

export function findOffered(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name || tool.aliases.includes(name));
}

const schemas = new WeakMap<Tool, ToolUnion>();

/** A tool as the API is told of it. The same object every time: a request's prefix must not change. */
export function toApiTool(tool: Tool): ToolUnion {
  const known = schemas.get(tool);
  if (known !== undefined) return known;
  const made = tool.serverTool ?? toClientTool(tool);
  schemas.set(tool, made);
  return made;
}

function toClientTool({ name, description, inputSchema, inputJsonSchema }: Tool): ToolUnion {
  const schema = inputJsonSchema ?? z.toJSONSchema(inputSchema, { io: 'input' });
  // The dialect is known.
  return { name, description, input_schema: { ...schema, $schema: undefined, type: 'object' } };
}

/** A call as it crosses into Workflow code: everything but its input, of which a few words are told unless `detail`
 *  says that people should see none. */
export function describeCall(
  tools: readonly Tool[],
  call: {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
    readonly recordId: string;
  },
  detail?: LimitedDetail,
): ToolUse {
  const { id, recordId, name } = call;
  const tool = findOffered(tools, name);
  const parsed = tool?.inputSchema.safeParse(call.input);
  if (tool === undefined || parsed?.success !== true) {
    return { id, recordId, name, isConcurrencySafe: false, summary: '' };
  }
  return {
    id,
    recordId,
    name,
    isConcurrencySafe: isSafe(tool, parsed.data),
    summary: detail === undefined ? summaryOf(tool, parsed.data) : '',
  };
}

function isSafe(tool: Tool, input: unknown): boolean {
  try {
    return tool.isConcurrencySafe(input);
  } catch {
    return false;
  }
}

/** A tool that cannot sum up what it was given sums up nothing: an agent's hook may have changed it. */
export function summaryOf(tool: Tool, input: unknown): string {
  try {
    return preview(tool.summarize(input));
  } catch {
    return '';
  }
}
