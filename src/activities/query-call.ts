import { ApplicationFailure } from '@temporalio/common';
import { NO_OWN_CODE, type OwnCode } from '../agent/own-code';
import { OwnCodeError } from '../agent/own-code-error';
import { fromQueryWorkflowId } from '../loop/workflow-id';
import { agentTool } from '../tools/agent';
import type { Tool } from '../tools/tool';
import type { RunOptions } from '../transcript/message';
import { mcpTools } from './mcp/session-catalog';
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
 *  Fails: `Session.MessageMissing`, `Session.Unknown` (final), `Session.ServedElsewhere`, `Session.NeedsHost`,
 *  `Config.OwnCode` (retryable). */
export async function openQueryCall(deps: ActivityDeps, attempt: Attempt): Promise<QueryCall> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const { store } = session;
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const message = await store.findMessage(promptId);
  if (message === undefined) throw messageMissing(promptId);
  requireHost(deps, message.options, store.meta.sessionId);
  const { sessionId, cwd } = store.meta;
  const agent = agentOf(deps, message.options, await ownCodeOf(deps, cwd));
  const systemPrompt = message.options.systemPrompt ?? agent.systemPrompt;
  const options: RunOptions = { ...message.options, systemPrompt };
  return {
    deps,
    attempt,
    session,
    queryId: attempt.workflowId,
    promptId,
    options,
    agent: {
      ...agent,
      tools: [
        ...agent.tools,
        ...(await subAgentTools(deps, { cwd, options })),
        ...(options.agent === undefined ? [deps.surroundings.skillTool({ cwd, options })] : []),
        ...(await mcpTools(deps, session, options)),
      ],
    },
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

/** How soon a file that cannot be loaded is looked at again. */
const OWN_CODE_RETRY = '5s';

/** Whoever mends the file finds the query where it was. */
async function ownCodeOf({ ownCode }: ActivityDeps, cwd: string): Promise<OwnCode> {
  try {
    return (await ownCode?.of(cwd)) ?? NO_OWN_CODE;
  } catch (error) {
    if (!(error instanceof OwnCodeError)) throw error;
    throw ApplicationFailure.create({
      type: 'Config.OwnCode',
      message: error.message,
      nextRetryDelay: OWN_CODE_RETRY,
      cause: error,
    });
  }
}

/** How soon somebody who has what the query needs may be there. */
const NEEDS_HOST_RETRY = '1s';

function requireHost(
  { hostParts }: ActivityDeps,
  { needsHost = [] }: RunOptions,
  sessionId: string,
): void {
  const missing = needsHost.filter((part) => hostParts?.().includes(part) !== true);
  if (missing.length === 0) return;
  throw ApplicationFailure.create({
    type: 'Session.NeedsHost',
    message: `Session ${sessionId} depends on the ${missing.join(' and ')} of the program that began the query. Resume it from that program, or stop it: everloop stop ${sessionId}`,
    nextRetryDelay: NEEDS_HOST_RETRY,
  });
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
