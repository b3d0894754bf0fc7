import type { Tool } from '../tools/tool';
import type { AgentHooks } from './agent-hooks';
import type { Agent } from './define-agent';

/** What people bring of their own: the default export of an `everloop.config.ts`. */
export interface OwnCode {
  /** Beside the built-in ones, for messages that name no agent. One of the same name takes the place of another. */
  readonly tools: readonly Tool[];
  /** For messages that name them (`--agent`, `RunOptions.agent`). */
  readonly agents: readonly Agent[];
  /** Of messages that name no agent. */
  readonly hooks: AgentHooks;
}

export const NO_OWN_CODE: OwnCode = { tools: [], agents: [], hooks: {} };

/** Typed default export of an `everloop.config.ts`. What is left out is empty. */
export function defineConfig(config: Partial<OwnCode>): OwnCode {
  return { ...NO_OWN_CODE, ...config };
}

/** `over` wins where both have something of one name. */
export function joinOwnCode(base: OwnCode, over: OwnCode): OwnCode {
  const names = over.agents.map(({ name }) => name);
  return {
    tools: joinTools(base.tools, over.tools),
    agents: [...base.agents.filter(({ name }) => !names.includes(name)), ...over.agents],
    hooks: { ...base.hooks, ...over.hooks },
  };
}

/** Those of `over` come last, so that the beginning of a request stays the same. */
export function joinTools(base: readonly Tool[], over: readonly Tool[]): readonly Tool[] {
  if (over.length === 0) return base;
  const names = over.flatMap(namesOf);
  return [...base.filter((tool) => !namesOf(tool).some((name) => names.includes(name))), ...over];
}

const namesOf = ({ name, aliases }: Tool): readonly string[] => [name, ...aliases];
