import type { SubAgentDefinition } from '../../context/sub-agent-definition';
import type { ToolUseRef } from '../../loop/context';
import { resolveModel } from '../../settings/model-alias';
import type { RunOptions } from '../../transcript/message';
import { AGENT, AgentInput, DEFAULT_TYPE } from '../../tools/agent';
import { ToolError } from '../../tools/tool';
import type { DelegateOutcome } from '../interface';
import { queryGrants } from '../query-grants';
import { uuidOf } from '../uuid-of';
import type { ToolRun } from '../run-tool/run-tool';

/** Writes the task of a sub-agent into the store, as the prompt of a query of its own. Safe to repeat: one call
 *  makes one message. What the Workflow needs to start that query is returned. */
export async function beginSubAgent(run: ToolRun, given: unknown): Promise<DelegateOutcome> {
  const input = AgentInput.parse(given);
  const definition = await definitionFor(run, input);
  const { session, options, deps, attempt } = run;
  const { call } = run.input;
  const model = resolveModel(input.model, definition.model, options.model);
  const own: RunOptions = {
    ...options,
    jsonSchema: null,
    model,
    allowedTools: [...options.allowedTools, ...(await queryGrants(run)).allow],
    permissionMode: run.input.mode,
    tools: toolsOf(definition, options),
    systemPrompt: definition.prompt,
    appendSystemPrompt: null,
    maxTurns: definition.maxTurns,
    subAgent: {
      type: definition.type,
      description: input.description,
      toolUseId: call.id,
      askedFor: options.subAgent?.askedFor ?? run.promptId,
    },
  };
  const messageId = promptIdOf(call);
  await session.store.putMessage({
    id: messageId,
    content: [{ type: 'text', text: input.prompt }],
    submittedAt: deps.now().toISOString(),
    options: own,
    ...(attempt.traceparent !== undefined && { traceparent: attempt.traceparent }),
  });
  return { type: 'delegate', messageId, model, maxTurns: definition.maxTurns };
}

/** A uuid that every attempt of the call gives to its prompt. */
export function promptIdOf({ recordId }: ToolUseRef): string {
  return uuidOf(`agent ${recordId}`);
}

/** A sub-agent has no sub-agents: a chain of them would have no end that anybody sees. */
function toolsOf(definition: SubAgentDefinition, { tools }: RunOptions): readonly string[] | null {
  const { tools: own, disallowedTools } = definition;
  const names = own ?? tools;
  const without = [AGENT, 'Task', ...disallowedTools];
  return names === null ? null : names.filter((name) => !without.includes(name));
}

async function definitionFor(
  { deps, place }: ToolRun,
  { subagent_type: type = DEFAULT_TYPE }: AgentInput,
): Promise<SubAgentDefinition> {
  const known = await deps.surroundings.subAgents(place);
  const found = known.find((one) => one.type === type);
  if (found === undefined) throw new ToolError(`There is no agent type "${type}" any more.`);
  return found;
}
