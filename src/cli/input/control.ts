import type { RunOptions } from '../../transcript/message';
import { resolveModel } from '../../settings/model-alias';
import { PERMISSION_MODES } from '../command';
import type { SubAgentDefinition } from '../../context/sub-agent-definition';
import type { ListedCommand } from '../../context/slash-command';
import { fromAgents } from '../sub-agent-flag';
import type { McpRequests } from './mcp-requests';
import { toSettingsChange } from './flag-settings';
import type { SessionRequests } from './session-requests';
import { findText, isJsonObject, type JsonObject } from './json-object';

/** `beside`: fields on the level of `request_id`. */
export type ControlAnswer =
  | { readonly type: 'success'; readonly response?: JsonObject; readonly beside?: JsonObject }
  | { readonly type: 'error'; readonly error: string; readonly code?: string };

/** As the answer to `initialize` tells them. */
export interface Offers {
  readonly commands: readonly ListedCommand[];
  readonly agents: readonly { readonly name: string; readonly description: string }[];
}

export interface ControlHost {
  readonly version: string;
  readonly apiKeySource: string;
  readonly mayBypassPermissions: boolean;
  readonly mcp: McpRequests;
  readonly session: SessionRequests;
  /** Permission questions that the client has not answered, as they were sent. */
  openQuestions(): readonly JsonObject[];
  isRunning(): boolean;
  /** Resolves with the ids of prompts that still wait. */
  interrupt(): Promise<readonly string[]>;
  /** What the folder and the user have for a client to show. */
  offers(options: RunOptions): Promise<Offers>;
  warn(text: string): void;
  /** Hooks that the client runs itself. false: they cannot be asked. Fails: an error that names the field. */
  registerHooks(registration: unknown): boolean;
  /** Told in the client's words, as if the user had typed the command. */
  modelChanged(model: string): void;
}

/** The control requests of a client, and what they change: the options of the messages that come after them. */
export class ControlChannel {
  readonly #atLaunch: RunOptions;
  readonly #host: ControlHost;
  #options: RunOptions;

  constructor(atLaunch: RunOptions, host: ControlHost) {
    this.#atLaunch = atLaunch;
    this.#options = atLaunch;
    this.#host = host;
  }

  /** What a message that arrives now runs with. */
  get options(): RunOptions {
    return this.#options;
  }

  /** Never waits for a turn: the client has no timeout for its requests. */
  async answer(subtype: string, request: JsonObject): Promise<ControlAnswer> {
    switch (subtype) {
      case 'initialize':
        return this.#initialize(request);
      case 'interrupt':
        return success({ still_queued: await this.#host.interrupt() });
      case 'set_model':
        return this.#setModel(findText(request, 'model'));
      case 'set_permission_mode':
        return this.#setPermissionMode(findText(request, 'mode') ?? '');
      case 'set_max_thinking_tokens':
        return this.#setMaxThinkingTokens(request['max_thinking_tokens']);
      case 'mcp_status':
      case 'mcp_message':
      case 'mcp_set_servers':
      case 'mcp_reconnect':
      case 'mcp_toggle':
        return this.#host.mcp.answer(subtype, request);
      case 'rewind_files':
      case 'get_context_usage':
      case 'cancel_async_message':
        return this.#host.session.answer(subtype, request, this.#options);
      case 'apply_flag_settings':
        return this.#applySettings(request['settings']);
      default:
        return failure(`Control request '${subtype}' is not supported.`, 'unsupported_request');
    }
  }

  /** Confirmations (`hooks_applied` and the like) are left out on purpose: a client that depends on one must know. */
  async #initialize(request: JsonObject): Promise<ControlAnswer> {
    const agents = readAgents(request['agents']);
    if (typeof agents === 'string') return failure(agents, 'invalid_agents');
    const hooks = this.#registerHooks(request['hooks']);
    if (typeof hooks === 'string') return failure(hooks, 'invalid_hooks');
    const systemPrompt = toSystemPrompt(request['systemPrompt']);
    const appended = findText(request, 'appendSystemPrompt');
    this.#options = {
      ...this.#options,
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(appended !== undefined && { appendSystemPrompt: appended }),
      ...(agents !== null && { subAgents: agents }),
      ...(isJsonObject(request['jsonSchema']) && { jsonSchema: request['jsonSchema'] }),
    };
    if (!this.#host.mcp.register(request['sdkMcpServers'])) {
      return failure(
        "'sdkMcpServers' cannot be used: it must be a list of names.",
        'invalid_mcp_servers',
      );
    }
    return {
      type: 'success',
      response: { ...(await this.#initializeResponse()), ...hooks },
      beside: {
        pending_permission_requests: this.#host.openQuestions(),
        pending_user_dialog_requests: [],
      },
    };
  }

  /** What is confirmed to the client; a text: why its hooks cannot be used. */
  #registerHooks(registration: unknown): JsonObject | string {
    if (!isGiven(registration)) return { hook_on_failure_supported: true };
    try {
      const isApplied = this.#host.registerHooks(registration);
      return { hook_on_failure_supported: true, ...(isApplied && { hooks_applied: true }) };
    } catch (error) {
      return `'hooks' cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  async #initializeResponse(): Promise<JsonObject> {
    const { version, apiKeySource } = this.#host;
    return {
      ...(await this.#host.offers(this.#options)),
      output_style: 'default',
      available_output_styles: ['default'],
      models: [
        {
          value: 'default',
          displayName: 'Default',
          description: this.#atLaunch.model,
          resolvedModel: this.#atLaunch.model,
        },
      ],
      account: { tokenSource: 'none', apiKeySource, apiProvider: 'firstParty' },
      claude_code_version: version,
      current_permission_mode: this.#options.permissionMode,
      session_state: this.#host.isRunning() ? 'running' : 'idle',
      pid: process.pid,
    };
  }

  #setModel(wanted: string | undefined): ControlAnswer {
    const isDefault = wanted === undefined || wanted === '' || wanted === 'default';
    const model = isDefault ? this.#atLaunch.model : resolveModel(wanted);
    this.#options = { ...this.#options, model };
    this.#host.modelChanged(model);
    return success({ model });
  }

  #setPermissionMode(wanted: string): ControlAnswer {
    const mode = PERMISSION_MODES.find((known) => known === wanted);
    if (mode === undefined) {
      const known = PERMISSION_MODES.join(', ');
      return failure(
        `Permission mode '${wanted}' is unknown. Use one of ${known}.`,
        'invalid_mode',
      );
    }
    if (mode === 'bypassPermissions' && !this.#host.mayBypassPermissions) {
      return failure(
        'bypassPermissions was not allowed at launch. Start with --allow-dangerously-skip-permissions.',
        'bypass_not_launched',
      );
    }
    this.#options = { ...this.#options, permissionMode: mode };
    return success({ mode });
  }

  #applySettings(settings: unknown): ControlAnswer {
    const change = toSettingsChange(settings, this.#options);
    if (typeof change === 'string') return failure(change, 'invalid_settings');
    const { model, permissionMode, ...rules } = change;
    if (permissionMode !== undefined) {
      const answer = this.#setPermissionMode(permissionMode);
      if (answer.type === 'error') return answer;
    }
    if (model !== undefined) this.#setModel(model);
    this.#options = { ...this.#options, ...rules };
    return { type: 'success' };
  }

  #setMaxThinkingTokens(wanted: unknown): ControlAnswer {
    const isCount = typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 0;
    const maxThinkingTokens = isCount ? wanted : this.#atLaunch.maxThinkingTokens;
    this.#options = { ...this.#options, maxThinkingTokens };
    return { type: 'success' };
  }
}

const success = (response: JsonObject): ControlAnswer => ({ type: 'success', response });
const failure = (error: string, code: string): ControlAnswer => ({ type: 'error', error, code });

/** The frame that goes to stdout. */
export function toControlResponse(requestId: string, answer: ControlAnswer): JsonObject {
  if (answer.type === 'success') {
    const response = answer.response && { response: answer.response };
    return {
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, ...response, ...answer.beside },
    };
  }
  const code = answer.code !== undefined && { error_code: answer.code };
  return {
    type: 'control_response',
    response: { subtype: 'error', request_id: requestId, error: answer.error, ...code },
  };
}

/** Stands in the client's list where the part that changes from day to day begins; we send no such parts. */
const BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

/** undefined: the default prompt. An empty text is an answer too: no prompt. */
function toSystemPrompt(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  const parts = value.filter((part) => typeof part === 'string' && part !== BOUNDARY);
  return parts.join('\n\n');
}

/** null: none are given. A text: why they cannot be used. */
function readAgents(value: unknown): readonly SubAgentDefinition[] | string | null {
  if (!isJsonObject(value)) return null;
  try {
    return fromAgents(value);
  } catch (error) {
    return `'agents' cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : value !== undefined;
}
