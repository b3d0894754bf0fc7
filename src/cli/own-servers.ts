import type { McpHost } from '../mcp/mcp-host';
import type { RunOptions } from '../transcript/message';
import { CliError } from './cli-error';
import type { SettingsFlags } from './command';

/** The servers that the command line names. Fails: CliError when what --mcp-config names cannot be read. */
export async function readMcpHost({ mcpConfigs = [], strictMcp }: SettingsFlags): Promise<McpHost> {
  const { McpHost: Host } = await import('../mcp/mcp-host.js');
  if (mcpConfigs.length === 0) return new Host([], strictMcp);
  const { readConfigArgument } = await import('../mcp/server-files.js');
  try {
    const cwd = process.cwd();
    return new Host(
      await Promise.all(mcpConfigs.map((each) => readConfigArgument(each, cwd))),
      strictMcp,
    );
  } catch (error) {
    throw error instanceof Error ? new CliError(error.message) : error;
  }
}

/** Entries of the command line may hold secrets, so no other process hears of them. */
export function refuseServers({ mcpConfigs = [] }: SettingsFlags): void {
  if (mcpConfigs.length === 0) return;
  throw new CliError(
    '--mcp-config is not for sessions that run without the command. Put the servers into .mcp.json, or leave it out.',
  );
}

export const withServers = (run: RunOptions, { hasServers }: McpHost): RunOptions =>
  hasServers ? { ...run, needsHost: [...(run.needsHost ?? []), 'MCP servers'] } : run;
