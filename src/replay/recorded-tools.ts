import { z } from 'zod';
import { defineTool, type Tool } from '../tools/tool';
import type { RecordedCall } from './recorded-session';

/** What the model reads when a call was not made in the recorded session. */
export const NO_RESULT =
  'No recorded result: this call was not made in the recorded session, and a replay runs nothing.';

/** Names a call: the same name and input, whatever the order of its fields. */
export const callKey = ({ name, input }: Pick<RecordedCall, 'name' | 'input'>): string =>
  `${name} ${JSON.stringify(sorted(input))}`;

/** Tools that answer what was recorded and run nothing. The n-th call with an input gets its n-th result, and later
 *  ones the last. `known`: tools whose descriptions the model is told; of others it is told the name alone. */
export function recordedTools(
  names: readonly string[],
  calls: readonly RecordedCall[],
  known: readonly Tool[],
): readonly Tool[] {
  const results = new Map<string, RecordedCall['result'][]>();
  for (const call of calls) {
    const ofCall = results.get(callKey(call)) ?? [];
    results.set(callKey(call), [...ofCall, call.result]);
  }
  const take = (name: string, input: unknown): RecordedCall['result'] => {
    const left = results.get(callKey({ name, input })) ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? null;
  };
  return names.flatMap((name) => {
    const tool = known.find((one) => one.name === name);
    // The API runs these itself.
    if (tool?.serverTool !== undefined) return [];
    return [recordedTool(name, tool, take)];
  });
}

function recordedTool(
  name: string,
  known: Tool | undefined,
  take: (name: string, input: unknown) => RecordedCall['result'],
): Tool {
  return defineTool<unknown>({
    name,
    description: known?.description ?? `${name}, as it was recorded.`,
    inputSchema: z.unknown(),
    inputJsonSchema: known === undefined ? ANY_INPUT : schemaOf(known),
    resultLimitChars: Infinity,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    summarize: () => '',
    call(input) {
      const result = take(name, input);
      return Promise.resolve({
        content: result?.content ?? NO_RESULT,
        structured: null,
        isError: result?.isError ?? true,
      });
    },
  });
}

const ANY_INPUT = { type: 'object', additionalProperties: true };

const schemaOf = ({ inputSchema, inputJsonSchema }: Tool): Readonly<Record<string, unknown>> =>
  inputJsonSchema ?? z.toJSONSchema(inputSchema, { io: 'input' });

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, of]) => [key, sorted(of)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
