import { z } from 'zod';
import { fitted, type JsonSchema } from './fitted';
import type { AgentTool } from './tool';

const checks = new WeakMap<object, z.ZodType>();

/** The arguments as the tool gets them: a copy, near misses of a primitive type mended ("5" for 5).
 *  Fails: plain Error whose text tells the model what is wrong with which field. */
export function checkedArguments({ name, parameters }: AgentTool, raw: unknown): unknown {
  const schema = parameters as JsonSchema;
  const args = fitted(structuredClone(raw), schema);
  const { success, error } = checkOf(schema).safeParse(args);
  // What was parsed is not used: a check must neither drop nor add fields.
  if (success) return args;
  const issues = error.issues.map(
    ({ path, message }) => `- ${path.join('.') || 'arguments'}: ${message}`,
  );
  throw new Error(
    `The arguments of ${name} do not fit its schema:\n${issues.join('\n')}\nReceived: ${JSON.stringify(raw)}`,
  );
}

function checkOf(schema: JsonSchema): z.ZodType {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = z.fromJSONSchema(schema);
  checks.set(schema, check);
  return check;
}
