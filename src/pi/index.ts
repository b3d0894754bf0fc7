/** Pi's loop on everloop's own: code written for `@mariozechner/pi-agent-core` runs with the import changed. */
export * from './agent';
export * from './agent-event';
export * from './agent-loop';
export type { AgentOptions } from './agent-settings';
export type { AgentState } from './agent-state';
export * from './config';
export * from './event-stream';
export * from './message';
export * from './model';
export * from './static';
export { streamAnthropic } from './stream-anthropic';
export * from './tool';
