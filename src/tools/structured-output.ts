import { z } from 'zod';
import { STRUCTURED_OUTPUT } from '../loop/tool-batch';
import { defineTool, type Tool } from './tool';

/** JSON of a caller's schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const made = new Map<string, Tool>();

/** The tool by which the model hands over the value that the caller asked for. The same tool for the same schema.
 *  Fails: plain Error when the schema is none. */
export function structuredOutputTool(schema: JsonSchema): Tool {
  const key = JSON.stringify(schema);
  const known = made.get(key);
  if (known !== undefined) return known;
  const tool: Tool = defineTool<unknown>({
    name: STRUCTURED_OUTPUT,
    description:
      'Hands the final answer over as a value. Call it exactly once, at the end, with a value that fits the schema; without it the task is not done.',
    inputSchema: toCheck(schema),
    inputJsonSchema: schema,
    effect: 'rerun',
    isReadOnly: () => true,
    summarize: () => 'the answer',
    call: (value) =>
      Promise.resolve({
        content: 'The value was handed over.',
        structured: value,
        isStructuredOutput: true,
      }),
  });
  made.set(key, tool);
  return tool;
}

/** Checked, but not changed: the caller gets what the model wrote. */
function toCheck(schema: JsonSchema): z.ZodType {
  return z.fromJSONSchema(schema);
}
