import type { RunOptions } from './message';

/** Run options of somebody who wishes for nothing: no rules, no limits, all tools, the usual prompt. */
export const plainRunOptions = (
  model: string,
  permissionMode: RunOptions['permissionMode'],
): RunOptions => ({
  model,
  permissionMode,
  allowedTools: [],
  disallowedTools: [],
  tools: null,
  maxTurns: null,
  systemPrompt: null,
  appendSystemPrompt: null,
  additionalDirectories: [],
  maxThinkingTokens: 0,
});
