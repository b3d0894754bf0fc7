import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listOf, readMarkdown } from './attachments/frontmatter';
import {
  definitionFiles,
  definitionFolders,
  type DefinitionFolder,
  type DefinitionPlace,
} from './definition-folder';

/** An agent that the model may hand a part of its work to. */
export interface SubAgentDefinition {
  readonly type: string;
  /** When to use it; told to the model. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of its tools; null: those of whoever calls it. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** Name or alias; null: that of whoever calls it. */
  readonly model: string | null;
  /** null: no limit. */
  readonly maxTurns: number | null;
}

const GENERAL: SubAgentDefinition = {
  type: 'general-purpose',
  description:
    'Researches a question or carries out a task of several steps on its own, with all tools.',
  prompt:
    'You are an agent that another agent has handed a task to. Do all of it with the tools you have, and no more than it. You cannot ask anybody. Your last message is all that the other agent sees: make it a complete report, with absolute paths of the files that matter.',
  tools: null,
  disallowedTools: [],
  model: null,
  maxTurns: null,
};

/** Agents of the folder, the user and the plugins, and ours. Of two with one type the one nearest to the work counts:
 *  given by the client, the project's, the user's, a plugin's, ours. Files that cannot be read are left out. */
export async function findSubAgents({
  given,
  ...place
}: DefinitionPlace & { readonly given: readonly SubAgentDefinition[] }): Promise<
  readonly SubAgentDefinition[]
> {
  const folders = await definitionFolders('agents', place);
  const read = await Promise.all(folders.map(readFolder));
  const byType = new Map<string, SubAgentDefinition>();
  for (const one of [...given, ...read.flat(), GENERAL]) {
    if (!byType.has(one.type)) byType.set(one.type, one);
  }
  return [...byType.values()];
}

async function readFolder(folder: DefinitionFolder): Promise<readonly SubAgentDefinition[]> {
  const files = await definitionFiles(folder);
  const read = await Promise.all(files.map((file) => readDefinition(file, folder.prefix)));
  return read.flatMap((one) => one ?? []);
}

async function readDefinition(file: string, prefix: string): Promise<SubAgentDefinition | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const { fields, body } = readMarkdown(text);
  const list = (name: string): readonly string[] | null => {
    const value = fields.get(name);
    return value === undefined ? null : listOf(value);
  };
  const model = fields.get('model');
  const description = fields.get('description');
  if (description === undefined) return null;
  const tools = list('tools');
  return {
    type: prefix + (fields.get('name') ?? path.basename(file, '.md')),
    description,
    prompt: body.trim(),
    tools: tools === null || tools.includes('*') ? null : tools,
    disallowedTools: list('disallowedTools') ?? [],
    model: model === undefined || model === 'inherit' ? null : model,
    maxTurns: Number(fields.get('maxTurns') ?? NaN) || null,
  };
}
