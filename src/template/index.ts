export { createAgentLoop } from './agent-loop';
export type {
  AgentEvent,
  AgentLoopConfig,
  Call,
  Ending,
  Message,
  Model,
  Progress,
  Reply,
  ToolHandler,
} from './parts';
