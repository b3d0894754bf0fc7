import { ApplicationFailure } from '@temporalio/common';
import { fromQueryWorkflowId } from '../loop/workflow-id';
import { agentTool } from '../tools/agent';
import type { Tool } from '../tools/tool';
import type { RunOptions } from '../transcript/message';
import { agentOf, type QueryAgent } from './agent-hooks/query-agent';
import type { Attempt } from './attempt';
import type { ActivityDeps, Place } from './deps';
import type { RecordFacts } from './new-record';
import type { ServedSession } from './served-sessions';

/** Everything of one Activity of a query that does not change while it runs. */
export interface QueryCall {
  readonly deps: ActivityDeps;
  readonly attempt: Attempt;
  readonly session: ServedSession;
  /** The query's Workflow id: how the session log names it. */
  readonly queryId: string;
  readonly promptId: string;
  /** What the query's prompt chose; the system prompt may be its agent's. */
  readonly options: RunOptions;
  readonly agent: QueryAgent;
  readonly place: Place;
  readonly facts: RecordFacts;
}

/** Serves the session that the Workflow id names.
 *  Fails: `Session.MessageMissing`, `Session.Unknown` (final), `Session.ServedElsewhere` (retryable). */
export async function openQueryCall(deps: ActivityDeps, attempt: Attempt): Promise<QueryCall> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const { store } = session;
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const message = await store.findMessage(promptId);
  if (message === undefined) throw messageMissing(promptId);
  const { sessionId, cwd } = store.meta;
  const agent = agentOf(deps, message.options);
  const systemPrompt = message.options.systemPrompt ?? agent.systemPrompt;
  const options: RunOptions = { ...message.options, systemPrompt };
  return {
    deps,
    attempt,
    session,
    queryId: attempt.workflowId,
    promptId,
    options,
    agent: { ...agent, tools: [...agent.tools, ...(await subAgentTools(deps, { cwd, options }))] },
    place: { cwd, options },
    facts: {
      sessionId,
      cwd,
      timestamp: deps.now().toISOString(),
      version: deps.version,
      ...(options.subAgent && {
        isSidechain: true,
        parentToolUseId: options.subAgent.toolUseId,
      }),
    },
  };
}

/** Work is handed on by the queries of users only, and not by agents of a program: those bring their own tools. */
async function subAgentTools(deps: ActivityDeps, place: Place): Promise<readonly Tool[]> {
  const { subAgent, agent } = place.options;
  if (subAgent !== undefined || agent !== undefined) return [];
  return [agentTool(await deps.surroundings.subAgents(place))];
}

export const messageMissing = (messageId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `Message ${messageId} is not in the store. It was submitted to another store, or deleted.`,
    'Session.MessageMissing',
  );
