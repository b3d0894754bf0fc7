import { ApplicationFailure } from '@temporalio/common';
import type { AgentHooks } from '../../agent/agent-hooks';
import { joinTools, type OwnCode } from '../../agent/own-code';
import type { Tool } from '../../tools/tool';
import type { RunOptions } from '../../transcript/message';
import type { ActivityDeps } from '../deps';
import type { QueryCall } from '../query-call';

/** What a query is worked on with: of the agent that its prompt names, or of the Worker itself. */
export interface QueryAgent {
  readonly tools: readonly Tool[];
  /** null: the default. */
  readonly systemPrompt: string | null;
  readonly hooks: AgentHooks;
  /** The prompt names another one, which is not among these; null: all is well. */
  readonly insteadOf: { readonly known: readonly string[] } | null;
}

export function agentOf(deps: ActivityDeps, options: RunOptions, own: OwnCode): QueryAgent {
  const agents = [...own.agents, ...(deps.agents ?? [])];
  const agent = agents.find(({ name }) => name === options.agent);
  const isUnknown = options.agent !== undefined && agent === undefined;
  return {
    tools: agent?.tools ?? joinTools(deps.tools, own.tools),
    systemPrompt: agent?.systemPrompt ?? null,
    hooks: agent === undefined ? own.hooks : agent.hooks,
    insteadOf: isUnknown ? { known: agents.map(({ name }) => name) } : null,
  };
}

/** Fails: `Config.UnknownAgent` (final) when the prompt names an agent that this Worker does not have. */
export function requireAgent({ agent, options }: Pick<QueryCall, 'agent' | 'options'>): void {
  if (agent.insteadOf === null) return;
  const known = agent.insteadOf.known.join(', ');
  throw ApplicationFailure.nonRetryable(
    `This Worker has no agent "${String(options.agent)}" (it has: ${known === '' ? 'none' : known}). Give it to createWorker({ agents: [...] }), or to everloop({ agents: [...] }), or to everloop.config.ts; or leave options.agent out.`,
    'Config.UnknownAgent',
  );
}
