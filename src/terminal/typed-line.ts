/** What a typed line asks for. */
export type TypedLine =
  | { readonly type: 'nothing' }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'command'; readonly name: TerminalCommand; readonly argument: string };

export type TerminalCommand = keyof typeof TERMINAL_COMMANDS;

/** Commands that the terminal answers itself. Others go to the session, which knows those of the folder. */
export const TERMINAL_COMMANDS = {
  help: 'Shows keys and commands',
  cost: 'Shows what the session has used and cost',
  context: 'Shows how full the context is',
  sessions: 'Switches to another session',
  model: 'Shows or changes the model of what you ask next',
  clear: 'Begins a new session',
  detach: 'Leaves; the session goes on in the background',
  exit: 'Leaves; what runs is interrupted',
  quit: 'Same as /exit',
} as const;

export function readTypedLine(line: string): TypedLine {
  const text = line.trim();
  if (text === '') return { type: 'nothing' };
  const groups = /^\/(?<name>[a-z]+)(?:\s+(?<argument>[^]*))?$/.exec(text)?.groups;
  const name = groups?.['name'] ?? '';
  if (!isTerminalCommand(name)) return { type: 'prompt', text };
  return { type: 'command', name, argument: groups?.['argument']?.trim() ?? '' };
}

const isTerminalCommand = (name: string): name is TerminalCommand =>
  Object.hasOwn(TERMINAL_COMMANDS, name);

export const HELP = `Type to ask; type while it works to steer.

Enter       sends              \\ Enter   begins a new line
@           completes a file   /         completes a command
Up, Down    earlier inputs     Ctrl-O    shows output of tools whole
Shift-Tab   permission mode of what you ask next
Esc         interrupts         Ctrl-B    leaves; it goes on in the background
Ctrl-C      clears the input or interrupts; twice: leaves

${Object.entries(TERMINAL_COMMANDS)
  .map(([name, description]) => `/${name.padEnd(10)} ${description}`)
  .join('\n')}`;
