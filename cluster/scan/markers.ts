/** Words that are in nothing but what a session of the scan holds, by the place they are planted in. */
export type Marked = (typeof HIDDEN)[number] | (typeof CLEAR)[number];

/** Of these, nothing may be found in clear where there are keys. */
export const HIDDEN = [
  'Prompt',
  'SystemPrompt',
  'Reply',
  'Thinking',
  'ToolInput',
  'ToolOutput',
  'ToolFailure',
  'FileName',
  'FileBefore',
  'FileAfter',
  'ApprovalNote',
  'DenialNote',
  'Question',
  'Answer',
  'Steering',
  'Todo',
  'AgentDescription',
  'AgentPrompt',
  'SubAgentTitle',
  'SubAgentTask',
  'SubAgentReply',
  'HookContext',
  'Memory',
  'UnknownTool',
  'UnknownToolInput',
  'ProviderError',
  'ForegroundPrompt',
  'ForegroundReply',
  'SchedulePrompt',
  'ScheduleReply',
  'ResumedPrompt',
  'ResumedReply',
] as const;

/** These are in clear with keys as well; docs/encryption.md says which and why. */
export const CLEAR = ['Folder', 'User', 'Schedule'] as const;

/** Letters alone, so that no form of quoting changes it; long enough to be found as base64 that begins anywhere. */
export const marker = (place: Marked): string => `Quillwort${place}`;
