import path from 'node:path';
import { pathsNamedBy } from './bash-paths';
import { isInside, textField } from './file-target';
import { splitCommandLine, type ShellCommand } from './shell-words';

/** A Bash call as far as reading goes. */
interface ShellCall {
  readonly input: unknown;
  readonly workingDirectory: string;
  readonly workingDirectories: readonly string[];
  readonly isReadOnlyCommand?: (command: string) => boolean;
}

/** Whether every command of the line only looks at things or changes the folder of the shell. */
export function isReadOnlyLine(call: ShellCall): boolean {
  const { commands, unclear } = splitCommandLine(textField(call.input, 'command'));
  return unclear === null && commands.length > 0 && commands.every(readerIn(call, commands));
}

/** Whether it stays inside the working folders with all that it names. */
export function readsInside(call: ShellCall): boolean {
  const { commands, unclear } = splitCommandLine(textField(call.input, 'command'));
  return unclear === null && commands.every(staysInside(call, commands));
}

/** For the commands of a line that no rule speaks of: whether one may run beside those that rules allow. */
export function harmlessIn(call: ShellCall): (command: ShellCommand) => boolean {
  const { commands } = splitCommandLine(textField(call.input, 'command'));
  const isReader = readerIn(call, commands);
  const isInsideToo = staysInside(call, commands);
  return (command) => isReader(command) && isInsideToo(command);
}

/** Everything that the commands of the line may look at; null: its place is not known. */
export function pathsReadBy(call: ShellCall): readonly (string | null)[] {
  const { commands } = splitCommandLine(textField(call.input, 'command'));
  return commands.flatMap(pathsIn(call, commands));
}

function readerIn(
  { isReadOnlyCommand }: ShellCall,
  commands: readonly ShellCommand[],
): (command: ShellCommand) => boolean {
  const moves = commands.some(isFolderChange);
  return (command) => {
    // Git runs programs that the repository of its folder names.
    if (moves && command.words[0] === 'git') return false;
    return isFolderChange(command) || (isReadOnlyCommand?.(command.text) ?? false);
  };
}

function staysInside(
  call: ShellCall,
  commands: readonly ShellCommand[],
): (command: ShellCommand) => boolean {
  const paths = pathsIn(call, commands);
  return (command) =>
    paths(command).every((file) => file !== null && isInside(file, call.workingDirectories));
}

function pathsIn(
  { workingDirectory }: ShellCall,
  commands: readonly ShellCommand[],
): (command: ShellCommand) => readonly (string | null)[] {
  // A cd may fail or stand in a pipeline: each may have happened or not.
  const folders = commands
    .filter(isFolderChange)
    .reduce<readonly string[]>(
      (known, { words: [, to = ''] }) => [
        ...new Set(known.flatMap((folder) => [folder, path.resolve(folder, to)])),
      ],
      [workingDirectory],
    );
  return (command) => folders.flatMap((folder) => pathsNamedBy(command, folder));
}

/** `cd` with a folder that is written out. */
function isFolderChange({ words, expands }: ShellCommand): boolean {
  const [program, folder = '-'] = words;
  return program === 'cd' && words.length === 2 && !expands && !/^(?:-|$)/.test(folder);
}
