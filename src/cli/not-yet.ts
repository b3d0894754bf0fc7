/** Options of Claude Code that are understood and have no effect yet. Given, they cause a warning. */
export interface NotYet {
  readonly flags: string;
  readonly reason: string;
}

export const NOT_YET: readonly NotYet[] = [
  { flags: '--permission-prompts <who>', reason: 'what rules do not allow is denied' },
  { flags: '--plugin-dir-no-mcp <path>', reason: 'give the plugin with --plugin-dir' },
  { flags: '--managed-settings <json>', reason: 'settings come from files and --settings' },
  { flags: '--managed-settings-in-initialize', reason: 'settings come from files and --settings' },
  { flags: '--await-initialize', reason: 'the first prompt does not wait for initialize' },
  { flags: '--initialize-fields <names>', reason: 'settings come from files and --settings' },
  { flags: '--project-config-root <path>', reason: 'the working folder is the project' },
  { flags: '--session-mirror', reason: 'the transcript is not mirrored to stdout' },
  { flags: '--thinking-display <mode>', reason: 'thinking is shown as the model sends it' },
  { flags: '-d, --debug [filter]', reason: 'there is no debug output' },
  { flags: '--debug-file <path>', reason: 'there is no debug output' },
  { flags: '--channels <names>', reason: 'there are no channels' },
  { flags: '--workload <name>', reason: 'workloads are not told apart' },
  { flags: '--await-claim', reason: 'a session cannot be prepared ahead' },
];
