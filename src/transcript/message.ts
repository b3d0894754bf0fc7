import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { SubAgentDefinition } from '../context/sub-agent-definition';
import type { Gates } from '../loop/gates';
import type { PermissionMode } from '../loop/state';
import type { LimitedDetail } from '../visibility/ui-detail';

/** A user's message on its way in. Written to the store before the Workflow hears of it, so that only its id
 *  crosses Temporal; it becomes a user record with the same uuid when a query takes it up. */
export interface InboxMessage {
  /** uuid; also the uuid of the record it becomes, and the key that makes a repeated submit harmless. */
  readonly id: string;
  readonly content: string | readonly ContentBlockParam[];
  /** ISO instant. */
  readonly submittedAt: string;
  readonly options: RunOptions;
  /** The trace that its query is part of, as W3C Trace Context. Absent: one of its own. */
  readonly traceparent?: string;
  /** `agent`: a hook of the query's agent brought it. `workflow`: somebody's own Workflow did, and wants to know the
   *  result. Absent: a user wrote it. */
  readonly origin?: 'agent' | 'workflow';
  /** uuid of the record that it goes behind: what came after that one is left out. Absent: the session's end. */
  readonly behind?: string;
}

/** Whose work a sub-agent does. */
export interface SubAgentOptions {
  readonly type: string;
  /** For people. */
  readonly description: string;
  /** The call that it answers. */
  readonly toolUseId: string;
  /** Id of the message of a person that all of it is for. Absent: written by an earlier version. */
  readonly askedFor?: string;
}

/** `hooks`: those that the client registered. `settings`: those of its command line. `MCP servers`: those of either. */
export type HostPart = 'hooks' | 'settings' | 'MCP servers';

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** `pause`: the query waits until people raise the limit, or stop it. */
export type OnBudget = (typeof ON_BUDGET)[number];
export const ON_BUDGET = ['pause', 'stop'] as const;

/** What a query runs with, chosen by the client for one message. */
export interface RunOptions {
  readonly model: string;
  readonly permissionMode: PermissionMode;
  /** Permission rules as written by the user: `Bash(npm test:*)`, `Read`. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  /** Names of the tools on offer; null: all. */
  readonly tools: readonly string[] | null;
  /** null: no limit. */
  readonly maxTurns: number | null;
  /** Replaces the default system prompt; null: the default. */
  readonly systemPrompt: string | null;
  readonly appendSystemPrompt: string | null;
  /** An agent of the Worker's: tools, system prompt and hooks of a program. Absent: none. */
  readonly agent?: string;
  /** Folders beside the working folder that file tools may touch; absolute. */
  readonly additionalDirectories: readonly string[];
  /** Tokens of extended thinking; 0: off. */
  readonly maxThinkingTokens: number;
  /** How much the model should put into an answer. Absent: the model decides. */
  readonly effort?: Effort;
  /** Names of API features that requests ask for. Absent: none. */
  readonly betas?: readonly string[];
  /** Set on the prompt of a sub-agent. */
  readonly subAgent?: SubAgentOptions;
  /** Agents that the client defines beside those of the folder. Absent: none. */
  readonly subAgents?: readonly SubAgentDefinition[];
  /** Who is asked when rules leave a call undecided: a program that hosts the session, or people; the call then
   *  waits. Absent: nobody, it is denied. */
  readonly asks?: 'host' | 'people';
  /** What of the client's own process the query depends on. Only a process that has it may run the query, which
   *  waits otherwise. Absent: nothing. */
  readonly needsHost?: readonly HostPart[];
  /** Settings files that count. Absent: what whoever serves the session was started with. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Folders of plugins, absolute. Absent: none. */
  readonly pluginDirs?: readonly string[];
  /** JSON Schema of the value that the query ends with. Absent: replies are text. */
  readonly jsonSchema?: Readonly<Record<string, unknown>> | null;
  /** Takes over when the model is overloaded again and again. Absent: nothing does. */
  readonly fallbackModel?: string | null;
  /** Tokens that the task may use, as the model is told. Absent: no limit. */
  readonly taskBudget?: number | null;
  /** USD. Absent: no limit. */
  readonly maxBudgetUsd?: number | null;
  /** Tokens that are no cache reads, in and out. Absent: no limit. */
  readonly maxTokens?: number | null;
  /** Minutes of running. Absent: no limit. */
  readonly maxMinutes?: number | null;
  /** What happens at one of these limits, and at the last turn. Absent: `stop`. */
  readonly onBudget?: OnBudget;
  /** Set on the first message that a client sends: what opened the session. Absent: not the first. */
  readonly opensSession?: 'startup' | 'resume';
  /** What the Temporal UI may show of the query. Absent: first words of the prompt, and of what tools are given. */
  readonly uiDetail?: LimitedDetail;
  /** Switches of the loop. Absent: the defaults. */
  readonly gates?: Gates;
}
