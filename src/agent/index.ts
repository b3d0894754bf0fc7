/** The library: a program's own tools and hooks in a durable agent. */
export { AgentClient, type SessionLimits } from '../client/agent-client';
export {
  defineCrashTest,
  type CountEffects,
  type CrashScriptInput,
} from '../crash-test/crash-script';
export { DEFAULT_GATES, type Gates } from '../loop/gates';
export type { LoopDeps } from '../loop/deps';
export type { LoopEvent } from '../loop/events';
export { queryLoop } from '../loop/query-loop';
export type { QueryParams } from '../loop/query-params';
export type { Terminal } from '../loop/terminal';
export type { CallJudgement, CallToJudge } from '../permissions/classifier';
export { builtInTools } from '../tools/built-in-tools';
export { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../tools/tool';
export type { InboxMessage, RunOptions } from '../transcript/message';
export type { LogEntry, QueryResult } from '../transcript/session-log';
export type {
  AfterToolCallResult,
  AgentHooks,
  AgentMessage,
  AgentToolCall,
  AgentTurn,
  BeforeToolCallResult,
  FinishedToolCall,
  HookPlace,
  NewMessage,
  NextTurn,
} from './agent-hooks';
export { AgentSession, type SaidWith } from './agent-session';
export {
  createWorker,
  type AgentWorker,
  type AgentWorkerOptions,
  type SessionToOpen,
} from './create-worker';
export { defineAgent, type Agent } from './define-agent';
export { defineConfig, type OwnCode } from './own-code';
export { everloop, EverloopPlugin, type EverloopPluginOptions } from '../plugin/everloop-plugin';
