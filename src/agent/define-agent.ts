import type { Tool } from '../tools/tool';
import type { AgentHooks } from './agent-hooks';

/** What a program brings to the sessions whose messages name it (`RunOptions.agent`). */
export interface Agent {
  readonly name: string;
  /** null: the tools that every session has. */
  readonly tools: readonly Tool[] | null;
  /** For messages that bring none of their own; null: the default. */
  readonly systemPrompt: string | null;
  readonly hooks: AgentHooks;
}

interface AgentDefinition {
  readonly name: string;
  /** All the tools that the agent has. Omitted: the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly systemPrompt?: string;
  readonly hooks?: AgentHooks;
}

/** Fails: Error when the name is empty, or two tools have one name. */
export function defineAgent({ name, tools, systemPrompt, hooks = {} }: AgentDefinition): Agent {
  if (name.trim() === '') throw new Error('An agent needs a name that messages can call it by.');
  const names = (tools ?? []).flatMap((tool) => [tool.name, ...tool.aliases]);
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  if (twice !== undefined) {
    throw new Error(`Agent ${name} has two tools named ${twice}. Rename one of them.`);
  }
  return { name, tools: tools ?? null, systemPrompt: systemPrompt ?? null, hooks };
}
