import { z } from 'zod';
import { parseRule } from '../permissions/rule';
import { toHookMatcher } from './hook-matcher';

export const timeoutSeconds = z
  .number('a number of seconds')
  .positive('a number of seconds above 0')
  .nullable()
  .default(null);

/** A text that has to be readable by `read`. */
function readBy<Value>(read: (text: string) => Value, expected: string) {
  return z.string(expected).transform((text, context) => {
    try {
      return read(text);
    } catch {
      context.addIssue(expected);
      return z.NEVER;
    }
  });
}

export const matcher = readBy(
  toHookMatcher,
  'a name, several with | between them, or a regular expression',
).default(() => toHookMatcher());

const condition = readBy(parseRule, 'a permission rule, for example Bash(git push:*)')
  .nullable()
  .default(null);

const CommandShape = z.object({
  type: z.literal('command'),
  command: z.string('a command').min(1, 'a command'),
  args: z.array(z.string(), 'a list of arguments').nullable().default(null),
  shell: z.enum(['bash', 'powershell'], '"bash" or left out').nullable().default(null),
  async: z.boolean('true or false').default(false),
  timeout: timeoutSeconds,
  if: condition,
});

const HttpShape = z.object({
  type: z.literal('http'),
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }),
  headers: z.record(z.string(), z.string('a string'), 'an object of strings').default({}),
  allowedEnvVars: z.array(z.string(), 'a list of names of variables').default([]),
  timeout: timeoutSeconds,
  if: condition,
});

/** Kinds that Claude Code has and everloop has not. */
const ForeignShape = z.object({ type: z.enum(['prompt', 'agent', 'mcp_tool']) });

const HookShape = z.discriminatedUnion(
  'type',
  [CommandShape, HttpShape, ForeignShape],
  'an object of type "command" or "http"',
);

/** One hook as settings write it down. */
export type HookShape = z.infer<typeof HookShape>;

/** What stands under the name of an event. */
export const EventShape = z.array(
  z.object(
    { matcher, hooks: z.array(HookShape, 'a list of hooks') },
    'an object with "matcher" and "hooks"',
  ),
  'a list of objects with "matcher" and "hooks"',
);

const flag = z.boolean('true or false').nullable().default(null);

/** The keys of a settings file that speak of hooks. */
export const LayerShape = z.object({
  disableAllHooks: flag,
  allowManagedHooksOnly: flag,
  allowedHttpHookUrls: z.array(z.string(), 'a list of addresses').nullable().default(null),
  hooks: z.record(z.string(), z.unknown(), 'an object with a list for each event').default({}),
});
