import { InvalidArgumentError, Option } from 'commander';
import { LISTEN_ADDRESS, LISTEN_ADDRESS_MEANT } from '../config';
import type { JsonSchema } from '../tools/structured-output';
import { isJsonObject } from './input/json-object';
import { SETTING_SOURCES, type SettingSource } from './command';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function toUuid(text: string): string {
  if (!isUuid(text)) {
    throw new InvalidArgumentError(
      'Give a UUID, such as 11111111-2222-4333-8444-555555555555, or leave the option out.',
    );
  }
  return text.toLowerCase();
}

export function toPositiveInteger(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number === 0) {
    throw new InvalidArgumentError('Give a whole number of at least 1.');
  }
  return number;
}

/** An address that this process listens at. */
export const listenOption = (flag: string, description: string): Option =>
  new Option(`${flag} <host:port>`, description).argParser((text: string) => {
    if (LISTEN_ADDRESS.test(text)) return text;
    throw new InvalidArgumentError(`Give ${LISTEN_ADDRESS_MEANT}.`);
  });

/** Of this machine; 0 stands for any free one. */
export function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a port from 0 (any free one) to 65535.');
}

/** JSON is full of commas, and names of files may have spaces. */
export const addAsGiven = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export function toAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount) || amount <= 0) {
    throw new InvalidArgumentError('Give an amount above 0, such as 0.5.');
  }
  return amount;
}

export function toJsonSchema(text: string): JsonSchema {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `It is not JSON (${error instanceof Error ? error.message : String(error)}). Give a JSON Schema.`,
    );
  }
  if (!isJsonObject(json)) throw new InvalidArgumentError('Give a JSON Schema, an object.');
  return json;
}

export function toTokenCount(text: string): number {
  return text === '0' ? 0 : toPositiveInteger(text);
}

export function toSettingSources(text: string): readonly SettingSource[] {
  return splitOutsideParentheses(text).map((name) => {
    const source = SETTING_SOURCES.find((known) => known === name);
    if (source === undefined) {
      throw new InvalidArgumentError(
        `'${name}' is none of ${SETTING_SOURCES.join(', ')}. Give some of them, separated by commas.`,
      );
    }
    return source;
  });
}

/** Options that take lists may be repeated, and each value may hold several entries: `Read,Bash(git log:*)`. */
export function addToList(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...splitOutsideParentheses(text)];
}

export function addPath(path: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, path];
}

function splitOutsideParentheses(text: string): readonly string[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = '';
  for (const character of text) {
    if (depth === 0 && (character === ',' || /\s/.test(character))) {
      entries.push(entry);
      entry = '';
      continue;
    }
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    entry += character;
  }
  return [...entries, entry].filter((each) => each !== '');
}
