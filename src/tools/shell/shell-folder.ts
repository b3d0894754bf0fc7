import { disk } from '../../disk/disk';
import { isInsideRoots } from '../confinement';
import { ToolError } from '../tool';
import type { ToolContext } from '../tool';
import type { CommandFiles } from './wrapper-script';

/** Where a command starts: the shell's folder, or the workspace if a command before it has deleted that. */
export async function requireStartFolder(context: ToolContext): Promise<string> {
  for (const folder of [context.workingDirectory, workspaceOf(context)]) {
    const resolved = await disk.realpath(folder).catch(() => undefined);
    if (resolved !== undefined && (await disk.stat(resolved)).isDirectory()) return resolved;
  }
  throw new ToolError(
    `The folder ${context.workingDirectory} does not exist any more. ` +
      `Put it back, or start a session in another folder.`,
  );
}

interface ShellMove {
  readonly workingDirectory?: string;
  /** What the model has to know about it, or null. */
  readonly note: string | null;
}

/** Where the shell stands after a command that succeeded; never outside the roots. */
export async function findMove(
  files: CommandFiles,
  startFolder: string,
  context: ToolContext,
): Promise<ShellMove> {
  // The shell writes nothing when the command replaced it (exec) or its trap.
  const written = (await disk.readFile(files.folder, 'utf8').catch(() => '')).replace(/\n$/, '');
  const endFolder = written === '' ? startFolder : written;
  const workspace = workspaceOf(context);
  if (!isInsideRoots(endFolder, context.roots)) {
    const note = `[The shell left the folders of this session for ${endFolder}; it is back in ${workspace}.]`;
    return { workingDirectory: workspace, note };
  }
  const before = await disk.realpath(context.workingDirectory).catch(() => undefined);
  if (before === undefined) {
    const note = `[${context.workingDirectory} does not exist any more; the command ran in ${startFolder}.]`;
    return { workingDirectory: endFolder, note };
  }
  return endFolder === before ? { note: null } : { workingDirectory: endFolder, note: null };
}

function workspaceOf(context: ToolContext): string {
  return context.roots[0] ?? context.workingDirectory;
}
