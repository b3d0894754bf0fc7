import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { SubAgentDefinition } from '../context/sub-agent-definition';

/** As clients define agents: `{type: {description, prompt, tools?, …}}`. */
const Agents = z.record(
  z.string(),
  z.object({
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).nullish(),
    disallowedTools: z.array(z.string()).nullish(),
    model: z.string().nullish(),
    maxTurns: z.number().int().positive().nullish(),
  }),
);

/** Fails: ZodError, which names the field. */
export function fromAgents(json: unknown): readonly SubAgentDefinition[] {
  return Object.entries(Agents.parse(json)).map(([type, agent]) => ({
    type,
    description: agent.description,
    prompt: agent.prompt,
    tools: agent.tools ?? null,
    disallowedTools: agent.disallowedTools ?? [],
    model: agent.model === 'inherit' ? null : (agent.model ?? null),
    maxTurns: agent.maxTurns ?? null,
  }));
}

/** Value of `--agents`. */
export function toSubAgents(text: string): readonly SubAgentDefinition[] {
  try {
    return fromAgents(JSON.parse(text));
  } catch (error) {
    throw new InvalidArgumentError(
      `Give {"name": {"description": "…", "prompt": "…", "tools": ["Read"]}}. ${error instanceof z.ZodError ? z.prettifyError(error) : String(error)}`,
    );
  }
}
