import type Anthropic from '@anthropic-ai/sdk';
import type { Agent } from '../agent/define-agent';
import type { OwnCode } from '../agent/own-code';
import type { TurnAttachment } from '../context/attachments/turn-attachment';
import type { TurnFacts } from '../context/attachments/turn-facts';
import type { ExpandedPrompt, RunPromptLine } from '../context/expand-prompt';
import type { ListedCommand } from '../context/slash-command';
import type { SubAgentDefinition } from '../context/sub-agent-definition';
import type { McpPlace, McpSessions } from '../mcp/mcp-sessions';
import type { ActivityCounts } from '../metrics/activity-counts';
import type { ServerSettings } from '../mcp/session-servers';
import type { HookSet } from '../hooks/hook-set';
import type { AskClient } from '../hooks/run-callback-hook';
import type { SandboxedSession, SandboxState } from '../sandbox/sandbox';
import type { ApprovalSettings } from '../permissions/approval-settings';
import type { PermissionRule } from '../permissions/rule';
import type { HostPart, RunOptions } from '../transcript/message';
import type { FileSeen } from '../transcript/record';
import type { Tool } from '../tools/tool';
import type { OwnPrices } from '../prices/own-prices';
import type { QuerySpans } from './query-spans';
import type { ServedSessions } from './served-sessions';

/** What the Activities of one Worker share. */
export interface ActivityDeps {
  readonly sessions: ServedSessions;
  /** Retries belong to Temporal: built with `maxRetries: 0`. */
  readonly anthropic: Anthropic;
  readonly apiKeySource: string;
  readonly tools: readonly Tool[];
  /** What messages may name in `options.agent`; absent: none. */
  readonly agents?: readonly Agent[];
  /** Code of the user's, by the folder that a session works in; absent: there is none. */
  readonly ownCode?: { of(folder: string): Promise<OwnCode> };
  readonly surroundings: Surroundings;
  /** MCP servers; absent: none are started. */
  readonly mcp?: McpSessions;
  /** What this process has of a client that it belongs to; absent: nothing. */
  readonly hostParts?: () => readonly HostPart[];
  /** Of the provider, shared with other Workers. Absent: each Worker hears of its own refusals alone. */
  readonly pauses?: {
    remainingMs(): Promise<number>;
    pause(ms: number): Promise<void>;
  };
  /** API failures of one request after which its error is shown. */
  readonly maxRetries: number;
  /** Output tokens to ask for when nobody says otherwise. */
  readonly maxOutputTokens: number;
  /** true: the user chose that number, so that no cap applies. */
  readonly isOutputChosen: boolean;
  readonly context: ContextSettings;
  /** Tells spans; absent: nobody wants traces. */
  readonly spans?: QuerySpans;
  /** Absent: nobody counts. */
  readonly counts?: ActivityCounts;
  /** Absent: the built-in table counts. */
  readonly ownPrices?: OwnPrices;
  /** After so long without an event a stream counts as lost; omitted: five minutes. */
  readonly silenceLimitMs?: number;
  /** Written into every record. */
  readonly version: string;
  now(): Date;
  /** In [0, 1). */
  random(): number;
}

/** What the user says about the context window. */
export interface ContextSettings {
  /** Compact at this percentage of the window instead; null: at its usual mark. */
  readonly percentOverride: number | null;
  /** Tokens: a smaller window than the model's; null: the model's. */
  readonly autoCompactWindow: number | null;
}

/** What the folder of a session and the user's own files add to a query. */
export interface Surroundings {
  /** Rules from the message's options and from the settings files. */
  permissionRules(of: Place): Promise<readonly PermissionRule[]>;
  /** How commands of the session run. Absent: with the rights of the Worker. */
  sandbox?(of: Place & SandboxedSession): Promise<SandboxState>;
  /** How people are waited for. Absent: as long as it takes, and unsigned. */
  approvals?(of: Place): Promise<ApprovalSettings>;
  /** Hooks of the settings files. */
  hooks(of: Place): Promise<SessionHooks>;
  /** MCP servers that are written down, and what their entries and processes may take from the environment. */
  mcpServers(of: McpPlace): Promise<ServerSettings>;
  /** Agents that work may be handed to. The same list as long as nothing changed. */
  subAgents(of: Place): Promise<readonly SubAgentDefinition[]>;
  /** What the model should hear beside a turn's results. Never throws, and takes a second at most. */
  turnAttachments(of: TurnToAttach): Promise<readonly TurnAttachment[]>;
  /** What a conversation begins with. Read once per session and kept: a request's prefix must not change. */
  conversationStart(
    of: Place & { readonly model: string; readonly now: Date },
  ): Promise<ConversationStart>;
  /** Files as they are now, for a conversation that has forgotten what it read. */
  reattachFiles(paths: readonly string[], of: Place): Promise<readonly PromptAttachment[]>;
  /** What a prompt really says: commands expanded, mentioned files read. */
  expandPrompt(text: string, of: Place, runLine: RunPromptLine): Promise<ExpandedPrompt>;
  /** The tool that loads skills; the same one as long as the place is the same. */
  skillTool(of: Place): Tool;
  /** What there is beside the tools, for people. */
  inventory(of: Place): Promise<Inventory>;
}

export interface Place {
  readonly cwd: string;
  readonly options: RunOptions;
}

/** JSON: it is stored with the session. */
export interface ConversationStart {
  readonly system: readonly string[];
  /** Memory files, as one text for the first user message; null: there are none. */
  readonly userContext: string | null;
  /** On which it began. Absent: the store is of one host, or an older build wrote it. */
  readonly host?: string;
}

/** A turn that has ended, or a prompt that has come. `queryId` names the query: what is looked for beside it is
 *  looked for once. */
export interface TurnToAttach extends Omit<
  TurnFacts,
  'cwd' | 'roots' | 'isMainThread' | 'prefetched' | 'configDir' | 'skills' | 'mayRead'
> {
  readonly place: Place;
  readonly queryId: string;
}

/** The hooks of a session, and what their processes inherit. */
export interface SessionHooks {
  readonly set: HookSet;
  /** Asks the program that hosts the session; absent: nobody does. */
  readonly callbacks?: AskClient;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a session has beside its tools, as people are told of it. */
export interface Inventory {
  readonly commands: readonly ListedCommand[];
  readonly agents: readonly SubAgentDefinition[];
  readonly skills: readonly string[];
  readonly plugins: readonly { readonly name: string; readonly path: string }[];
}

/** `filesSeen` count as read, so that they may be edited at once. */
interface PromptAttachment {
  readonly text: string;
  readonly filesSeen: readonly FileSeen[];
}
