import type { z } from 'zod';

export type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;

/** A value with its primitives turned into what the schema asks for, where nothing is lost by it: models write
 *  "5" and "true". Changes the value in place; what does not fit stays, for the check to name. */
export function fitted(value: unknown, schema: JsonSchema | boolean): unknown {
  if (typeof schema === 'boolean') return value;
  if (Array.isArray(value)) return fittedList(value, schema);
  if (typeof value === 'object' && value !== null)
    return fittedObject(value as Record<string, unknown>, schema);
  const types = [schema.type ?? []].flat();
  const isOneOf = types.length > 1 && types.some((type) => isOfType(value, type));
  const [type] = types;
  return type === undefined || isOneOf ? value : fittedPrimitive(value, type);
}

function fittedList(list: readonly unknown[], { items }: JsonSchema): unknown {
  if (items === undefined || Array.isArray(items)) return list;
  return list.map((item) => fitted(item, items as JsonSchema));
}

function fittedObject(object: Record<string, unknown>, schema: JsonSchema): unknown {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (key in object) object[key] = fitted(object[key], property);
  }
  return object;
}

const NUMBER = /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/;

function fittedPrimitive(value: unknown, type: string): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
