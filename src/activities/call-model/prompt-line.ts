import { CommandLineError, type RunPromptLine } from '../../context/expand-prompt';
import { decidePermission } from '../../permissions/decide-permission';
import { toRules } from '../../permissions/rule';
import { isReadOnlyCommand } from '../../tools/shell/read-only-command';
import { ToolError, type Tool } from '../../tools/tool';
import type { QueryCall } from '../query-call';
import { rulesFor } from '../run-tool/permission-rules';
import { toolContext } from '../run-tool/tool-context';
import { findOffered } from '../tool-catalog';

/** Of one line. */
const LIMIT_CHARS = 30_000;

/** Runs the lines of a command's text with Bash, one after the other. Nobody is asked: what no rule, no mode and no
 *  `allowed-tools` of the command allows does not run. A later attempt goes on with the lines of the one before. */
export function promptLines(query: QueryCall, messageId: string): RunPromptLine {
  let lines = 0;
  return async (line, allow) => {
    lines += 1;
    const bash = findOffered(query.agent.tools, 'Bash');
    if (bash === undefined) {
      throw new CommandLineError(`It runs \`${line}\`, and there is no Bash tool here.`);
    }
    return runLine(query, bash, { line, allow, name: `${messageId}-line-${lines}` });
  };
}

async function runLine(
  query: QueryCall,
  bash: Tool,
  of: { readonly line: string; readonly allow: readonly string[]; readonly name: string },
): Promise<string> {
  const { line, allow, name } = of;
  const { cwd } = query.place;
  const context = await toolContext(query, {
    workingDirectory: cwd,
    callName: name,
    filesSeen: new Map(),
    attempt: query.attempt.number,
  });
  const input = bash.inputSchema.parse({ command: line });
  const origin = {
    source: 'cli',
    workingDirectory: cwd,
    settingsFolder: cwd,
    homeFolder: cwd,
  } as const;
  const decision = decidePermission({
    tool: bash,
    input,
    mode: query.options.permissionMode,
    rules: [...(await rulesFor(query)), ...toRules('allow', allow, origin)],
    workingDirectory: cwd,
    workingDirectories: context.roots,
    readOnly: bash.isReadOnly(input),
    isReadOnlyCommand,
  });
  if (decision.behavior !== 'allow') {
    throw new CommandLineError(
      `Its line \`${line}\` is not allowed: ${decision.message} Add a rule for it to allowed-tools at the top of the command's file, for example Bash(${line.split(' ')[0] ?? ''}:*).`,
    );
  }
  try {
    const { content } = await bash.call(input, context);
    return textOf(content).slice(0, LIMIT_CHARS);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new CommandLineError(`Its line \`${line}\` failed:\n${error.message}`);
  }
}

function textOf(content: Awaited<ReturnType<Tool['call']>>['content']): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
