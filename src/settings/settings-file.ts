import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseRule } from '../permissions/rule';
import { findJsonError } from './json-error';
import { lineOf } from './json-place';
import { findUnusedKeys } from './settings-key';

/** A settings file cannot be used. The message names the file, the place, the value seen and the cure. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** One settings file. Keys that everloop does not know stay in `raw`. */
export interface SettingsFile {
  readonly permissions: PermissionSettings;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | null;
  /** null: it does not say. */
  readonly autoCompactEnabled: boolean | null;
  /** false: the system prompt tells nothing of the state of the repository; null: it does not say. */
  readonly includeGitInstructions: boolean | null;
  /** What it says that has no effect, a sentence each. */
  readonly warnings: readonly string[];
  /** As it was read: for the lines of complaints. */
  readonly text: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

type PermissionSettings = z.infer<typeof PermissionSettings>;

const ruleText = z.string().superRefine((text, context) => {
  try {
    parseRule(text);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : 'a permission rule');
  }
});
const ruleList = z.array(ruleText, 'a list of permission rules').default([]);

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'] as const;

const PermissionSettings = z.object(
  {
    allow: ruleList,
    deny: ruleList,
    ask: ruleList,
    defaultMode: z
      .enum(MODES, `one of ${MODES.join(', ')}`)
      .nullable()
      .default(null),
    additionalDirectories: z.array(z.string(), 'a list of folders').default([]),
  },
  'an object',
);

const KnownSettings = z.object(
  {
    permissions: PermissionSettings.prefault({}),
    env: z
      .record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean()], 'a string').transform(String),
        'an object of strings',
      )
      .default({}),
    model: z.string('a model or alias').nullable().default(null),
    autoCompactEnabled: z.boolean('true or false').nullable().default(null),
    includeGitInstructions: z.boolean('true or false').nullable().default(null),
  },
  'an object',
);

const RawSettings = z.record(z.string(), z.unknown());

/** undefined: there is no such file. Fails: SettingsError. */
export async function readSettingsFile(file: string): Promise<SettingsFile | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = toErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SettingsError(
      `Settings file ${file} cannot be read (${code}). Make it a file that you may read, or remove it.`,
      { cause: error },
    );
  }
  return parseSettings(text, `Settings file ${file}`);
}

/** `name` begins every message. Fails: SettingsError. */
export function parseSettings(text: string, name: string): SettingsFile {
  const json = parseJson(text.replace(/^\uFEFF/, ''), name);
  const parsed = KnownSettings.safeParse(json);
  if (!parsed.success) throw toSettingsError(parsed.error, { json, text, name });
  const raw = RawSettings.parse(json);
  const warnings = findUnusedKeys(raw).map(
    ({ path, complaint }) => `${name}: line ${lineOf(text, path)}: ${complaint}`,
  );
  return { ...parsed.data, raw, text, warnings };
}

function parseJson(text: string, name: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = findJsonError(text) ?? { line: 1, column: 1 };
    const seen =
      text
        .split('\n')
        [line - 1]?.slice(column - 1)
        .trim()
        .slice(0, 40) ?? '';
    throw new SettingsError(
      `${name} is not JSON: line ${line}, column ${column}, at ${seen === '' ? 'the end of the line' : `"${seen}"`}. Correct it there.`,
      { cause: error },
    );
  }
}

function toSettingsError(
  error: z.ZodError,
  { json, text, name }: { readonly json: unknown; readonly text: string; readonly name: string },
): SettingsError {
  const complaints = error.issues.map((issue) => {
    const where = issue.path.map(String).join('.');
    const value = issue.path.reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : null,
      json,
    );
    const problem = issue.message.startsWith('Permission rule')
      ? issue.message
      : `it must be ${issue.message}. Correct or remove it.`;
    // Values of env may be secrets.
    const seen = where.startsWith('env') ? '…' : JSON.stringify(value).slice(0, 80);
    const line = where === '' ? '' : `line ${lineOf(text, issue.path)}: `;
    return `${line}${where === '' ? 'the whole' : where} is ${seen}: ${problem}`;
  });
  return new SettingsError(`${name}: ${complaints.join('\n')}`, { cause: error });
}

function toErrorCode(error: unknown): string {
  const isSystemError = typeof error === 'object' && error !== null && 'code' in error;
  return String(isSystemError ? error.code : error);
}
