import { ApplicationFailure } from '@temporalio/common';
import type { AgentHooks } from '../../agent/agent-hooks';
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
}

export function agentOf(deps: ActivityDeps, options: RunOptions): QueryAgent {
  const agent = findAgent(deps, options);
  return {
    tools: agent?.tools ?? deps.tools,
    systemPrompt: agent?.systemPrompt ?? null,
    hooks: agent?.hooks ?? {},
  };
}

/** Fails: `Config.UnknownAgent` (final) when the prompt names an agent that this Worker does not have. */
export function requireAgent({ deps, options }: Pick<QueryCall, 'deps' | 'options'>): void {
  const { agent } = options;
  if (agent === undefined || findAgent(deps, options) !== undefined) return;
  const known = (deps.agents ?? []).map(({ name }) => name).join(', ');
  throw ApplicationFailure.nonRetryable(
    `This Worker has no agent "${agent}" (it has: ${known === '' ? 'none' : known}). Give it to createWorker({ agents: [...] }), or leave options.agent out.`,
    'Config.UnknownAgent',
  );
}

const findAgent = ({ agents = [] }: ActivityDeps, { agent }: RunOptions) =>
  agents.find(({ name }) => name === agent);
