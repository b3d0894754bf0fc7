import { z } from 'zod';
import type { SubAgentDefinition } from '../context/sub-agent-definition';
import { defineTool, type Tool } from './tool';

/** Name of the tool that hands work to another agent. Only the Workflow can carry it out. */
export const AGENT = 'Agent';

export const AgentInput = z.object({
  description: z.string().describe('Three to five words for people: what is to be done'),
  prompt: z.string().describe('The whole task: the agent knows nothing else'),
  subagent_type: z.string().optional().describe('Which agent; general-purpose if left out'),
  model: z.string().optional().describe('Another model for this task'),
  run_in_background: z.boolean().optional().describe('Accepted; agents run to their end'),
});

export type AgentInput = z.infer<typeof AgentInput>;

export const DEFAULT_TYPE = 'general-purpose';

const made = new WeakMap<readonly SubAgentDefinition[], Tool>();

/** The same tool for the same list: what the model is told must not change between requests. */
export function agentTool(definitions: readonly SubAgentDefinition[]): Tool {
  const known = made.get(definitions);
  if (known !== undefined) return known;
  const list = definitions.map(({ type, description }) => `- ${type}: ${description}`).join('\n');
  const tool = defineTool<AgentInput>({
    name: AGENT,
    aliases: ['Task'],
    description: `Hands a task to an agent that works on its own, with a context of its own, and returns its final report. Several calls in one message run side by side. Use it for searches and tasks of many steps whose details you do not need. The agents:\n${list}`,
    inputSchema: AgentInput,
    effect: 'rerun',
    isConcurrencySafe: () => true,
    summarize: ({ subagent_type: type = DEFAULT_TYPE, description }) => `${type}: ${description}`,
    validateInput: ({ subagent_type: type = DEFAULT_TYPE }) =>
      Promise.resolve(
        definitions.some((one) => one.type === type)
          ? null
          : `There is no agent type "${type}". Use one of: ${definitions.map((one) => one.type).join(', ')}.`,
      ),
    call: () => Promise.reject(new Error('An agent is run by the query that calls it.')),
  }) as Tool;
  made.set(definitions, tool);
  return tool;
}
