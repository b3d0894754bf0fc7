import type { LogEntry } from '../../transcript/session-log';
import type { AssistantRecord, SystemRecord, UserRecord } from '../../transcript/record';

/** One line of stdout in stream-json, as the Agent SDK reads it.
 *  Source: spec of the headless protocol, §7; every message has a uuid and the id of its session. */
export interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid: string;
  readonly session_id: string;
  readonly [field: string]: unknown;
}

export interface MessageStamp {
  readonly uuid: string;
  readonly session_id: string;
}

type Entry<Type extends LogEntry['type']> = Extract<LogEntry, { type: Type }>;

export function initMessage(
  { init }: Entry<'query_started'>,
  version: string,
  stamp: MessageStamp,
): SdkMessage {
  return {
    type: 'system',
    subtype: 'init',
    cwd: init.cwd,
    tools: init.tools,
    mcp_servers: init.mcpServers ?? [],
    model: init.model,
    permissionMode: init.permissionMode,
    slash_commands: init.slashCommands,
    apiKeySource: init.apiKeySource,
    claude_code_version: version,
    output_style: 'default',
    agents: init.agents ?? [],
    skills: init.skills ?? [],
    plugins: init.plugins ?? [],
    capabilities: ['interrupt_receipt_v1'],
    ...stamp,
  };
}

export function assistantMessage(record: AssistantRecord, sessionId: string): SdkMessage {
  return {
    type: 'assistant',
    message: record.message,
    parent_tool_use_id: record.parentToolUseId ?? null,
    session_id: sessionId,
    uuid: record.uuid,
    timestamp: record.timestamp,
    ...(record.error !== undefined && { error: record.error }),
  };
}

export function userMessage(record: UserRecord, sessionId: string): SdkMessage {
  return {
    type: 'user',
    message: record.message,
    parent_tool_use_id: record.parentToolUseId ?? null,
    session_id: sessionId,
    uuid: record.uuid,
    timestamp: record.timestamp,
    ...((record.isMeta || record.isCompactSummary) && { isSynthetic: true }),
    ...(record.toolUseResult !== undefined && { tool_use_result: record.toolUseResult }),
  };
}

/** A prompt that the client sent, as the client sent it: what the model gets may hold more. */
export function replayMessage(prompt: {
  readonly id: string;
  readonly content: unknown;
  readonly sessionId: string;
}): SdkMessage {
  return {
    type: 'user',
    message: { role: 'user', content: prompt.content },
    parent_tool_use_id: null,
    session_id: prompt.sessionId,
    uuid: prompt.id,
    isReplay: true,
  };
}

export function systemMessage(record: SystemRecord, sessionId: string): SdkMessage {
  return {
    type: 'system',
    subtype: record.subtype,
    ...(record.content !== undefined && { content: record.content }),
    ...(record.level !== undefined && { level: record.level }),
    ...(record.compactMetadata !== undefined && {
      compact_metadata: {
        trigger: record.compactMetadata.trigger,
        pre_tokens: record.compactMetadata.preTokens,
      },
    }),
    session_id: sessionId,
    uuid: record.uuid,
    timestamp: record.timestamp,
  };
}

export function retryMessage(entry: Entry<'api_retry'>, stamp: MessageStamp): SdkMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: entry.attempt,
    max_retries: entry.maxRetries,
    retry_delay_ms: entry.delayMs,
    error_status: entry.status,
    error: entry.error,
    ...stamp,
  };
}

export function noticeMessage({ text, level }: Entry<'notice'>, stamp: MessageStamp): SdkMessage {
  return { type: 'system', subtype: 'informational', content: text, level, ...stamp };
}

export function toolUseSummaryMessage(
  { summary, toolUseIds }: Entry<'tool_use_summary'>,
  stamp: MessageStamp,
): SdkMessage {
  return { type: 'tool_use_summary', summary, preceding_tool_use_ids: toolUseIds, ...stamp };
}

export function hookStartedMessage(
  { hook }: Entry<'hook_started'>,
  stamp: MessageStamp,
): SdkMessage {
  const { id, name, event } = hook;
  return {
    type: 'system',
    subtype: 'hook_started',
    hook_id: id,
    hook_name: name,
    hook_event: event,
    ...stamp,
  };
}

export function hookEndedMessage(
  { hook, ended }: Entry<'hook_ended'>,
  stamp: MessageStamp,
): SdkMessage {
  const { id, name, event } = hook;
  const { outcome, exitCode, stdout, stderr } = ended;
  return {
    type: 'system',
    subtype: 'hook_response',
    hook_id: id,
    hook_name: name,
    hook_event: event,
    output: `${stdout}${stderr}`,
    stdout,
    stderr,
    ...(exitCode !== null && { exit_code: exitCode }),
    outcome,
    ...stamp,
  };
}

export function supersededMessage(uuids: readonly string[], stamp: MessageStamp): SdkMessage {
  return {
    type: 'system',
    subtype: 'informational',
    content: 'The reply was cut short and is asked for again. Messages above no longer count.',
    level: 'info',
    supersedes: uuids,
    ...stamp,
  };
}

export function resultMessage({ result }: Entry<'query_ended'>, sessionId: string): SdkMessage {
  return {
    type: 'result',
    ...result,
    // The SDK dies with a TypeError on an error result without the list.
    ...(result.subtype !== 'success' && { errors: result.errors ?? [] }),
    session_id: sessionId,
  };
}

/** The result of a command that could not begin: no turn, no cost. */
export function failedMessage(error: string, stamp: MessageStamp): SdkMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    },
    modelUsage: {},
    permission_denials: [],
    errors: [error],
    ...stamp,
  };
}
