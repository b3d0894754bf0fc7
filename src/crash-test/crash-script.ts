import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { loadModule } from '../agent/load-module';
import type { Agent } from '../agent/define-agent';
import { replySchema } from '../scripted-model/reply';

/** What somebody's tools have done outside of the workspace: counts by name. */
export type CountEffects = (workspace: string) => Promise<Readonly<Record<string, number>>>;

const options = z.strictObject({
  model: z.string().exactOptional(),
  permissionMode: z
    .enum(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk'])
    .exactOptional(),
  allowedTools: z.array(z.string()).exactOptional(),
  disallowedTools: z.array(z.string()).exactOptional(),
  tools: z.array(z.string()).nullable().exactOptional(),
  maxTurns: z.number().int().positive().nullable().exactOptional(),
  systemPrompt: z.string().nullable().exactOptional(),
  appendSystemPrompt: z.string().nullable().exactOptional(),
  agent: z.string().exactOptional(),
});

const conversation = z.strictObject({
  /** Words of its first message. Absent: any conversation that no other entry names. */
  contains: z.string().optional(),
  /** The n-th answers the request with n replies before it, each time it comes. */
  replies: z.array(replySchema),
});

const answer = z.strictObject({
  tool: z.string(),
  behavior: z.enum(['allow', 'deny']),
});

export const crashScript = z.strictObject({
  /** Files of the workspace, by relative path. */
  files: z.record(z.string(), z.string()).default({}),
  /** Said one after the other, each when the one before is answered. */
  prompts: z.array(z.string()).min(1),
  conversations: z.array(conversation).min(1),
  /** Answers the request for a summary when the context is full. */
  summary: z.string().optional(),
  options: options.default({}),
  /** What a person says to questions about a tool; others are allowed. */
  answers: z.array(answer).default([]),
  /** Of the Worker, beside PATH. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Files of the workspace whose lines are effects, or a function that counts them. */
  effects: z.union([z.array(z.string()), z.custom<CountEffects>(isFunction)]).default([]),
  /** Files of the workspace that may differ. */
  ignore: z.array(z.string()).default([]),
  /** With the tools under test; `options.agent` names one. Modules only. */
  agents: z.array(z.custom<Agent>(isAgent, 'made by defineAgent')).default([]),
});

/** A run that a crash may interrupt anywhere, with all that it needs to be repeated. */
export type CrashScript = z.infer<typeof crashScript>;
/** The same, as one writes it. */
export type CrashScriptInput = z.input<typeof crashScript>;
export type Conversation = CrashScript['conversations'][number];

/** For modules: the types of a script. Export the result as default. */
export const defineCrashTest = (script: CrashScriptInput): CrashScriptInput => script;

/** Reads a script: JSON, or a module with the script as its default export.
 *  Fails: Error that names the file and each wrong field. */
export async function loadCrashScript(file: string): Promise<CrashScript> {
  const parsed = crashScript.safeParse(await read(path.resolve(file)));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is no crash script:\n${z.prettifyError(parsed.error)}`);
}

async function read(file: string): Promise<unknown> {
  if (!file.endsWith('.json')) return defaultOf(await loadModule(file, null));
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${file} cannot be read: ${reason}. Give a JSON file, or a module with a default export.`,
      { cause },
    );
  }
}

/** A compiled module keeps its default export in an object of that name. */
function defaultOf(module: unknown): unknown {
  const isWrapped = typeof module === 'object' && module !== null && 'default' in module;
  return isWrapped ? defaultOf(module.default) : module;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isAgent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && 'hooks' in value;
}
