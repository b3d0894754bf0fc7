import { findCommand, findCommands } from './command-file';
import type { DefinitionPlace } from './definition-folder';
import { INIT_COMMAND } from './init-command';
import type { PromptFile } from './prompt-file';
import { findSkills, skillBody } from './skill-file';

/** What a prompt turns out to be.
 *  `none`: ordinary text. `prompt`: a custom command or a skill; its body goes to the model instead, once it is
 *  filled in. `local`: answered without a request. `unknown`: written like a command that nobody has. */
export type SlashCommand =
  | { readonly type: 'none' }
  | {
      readonly type: 'prompt';
      readonly file: PromptFile;
      readonly body: string;
      readonly args: string;
    }
  | { readonly type: 'local'; readonly name: LocalCommand; readonly args: string }
  | { readonly type: 'unknown'; readonly name: string };

export type LocalCommand = keyof typeof LOCAL_COMMANDS;

const LOCAL_COMMANDS = {
  clear: 'Forgets the conversation and begins a new one',
  compact: 'Puts a summary in the place of the conversation',
  context: 'Shows how full the context is, and with what',
  cost: 'Shows what the session has used and cost',
} as const;

export async function resolveSlashCommand({
  prompt,
  ...place
}: DefinitionPlace & { readonly prompt: string }): Promise<SlashCommand> {
  // A path such as /usr/bin at the start of a prompt is no command.
  const match = /^\/(?<name>[a-z][\w:.-]*)(?:\s+(?<args>[^]*))?$/.exec(prompt.trim());
  const name = match?.groups?.['name'];
  if (name === undefined) return { type: 'none' };
  const args = match?.groups?.['args'] ?? '';
  if (isLocal(name)) return { type: 'local', name, args };
  const command = findCommand(name, await findCommands(place));
  if (command !== undefined) {
    return { type: 'prompt', file: command, body: command.body, args };
  }
  const skill = findCommand(name, await findSkills(place));
  if (skill?.isForPeople === true) {
    return { type: 'prompt', file: skill, body: skillBody(skill), args };
  }
  if (name === INIT_COMMAND.name) {
    return { type: 'prompt', file: INIT_COMMAND, body: INIT_COMMAND.body, args };
  }
  return { type: 'unknown', name };
}

const isLocal = (name: string): name is LocalCommand => Object.hasOwn(LOCAL_COMMANDS, name);

/** A command as people are told of it. */
export interface ListedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
}

/** Everything that may stand behind a slash, built-in first. */
export async function listCommands(place: DefinitionPlace): Promise<readonly ListedCommand[]> {
  const local = Object.entries(LOCAL_COMMANDS).map(([name, description]) => ({
    name,
    description,
    argumentHint: name === 'compact' ? '[what the summary should look after]' : '',
  }));
  const skills = (await findSkills(place)).filter(({ isForPeople }) => isForPeople);
  const files = [INIT_COMMAND, ...(await findCommands(place)), ...skills];
  const listed = files.map(({ name, description, argumentHint }) => ({
    name,
    description,
    argumentHint,
  }));
  const byName = new Map([...local, ...listed].map((one) => [one.name, one]));
  return [...byName.values()];
}
