import type { DefinitionPlace } from './definition-folder';
import { attachMentions, type Attachment, type MentionOptions } from './mentions';
import { fillInAndRun } from './prompt-template';
import { resolveSlashCommand } from './slash-command';

/** What a prompt really says. `local`: answered here, the model is not asked. `compact`, `clear`, `context`, `cost`:
 *  commands about the conversation itself. */
export type ExpandedPrompt =
  | {
      readonly type: 'prompt';
      readonly text: string;
      readonly attachments: readonly Attachment[];
      /** What the command wants for its query; absent: it was no command, or it wants nothing. */
      readonly grant?: PromptGrant;
    }
  | { readonly type: 'local'; readonly answer: string }
  | { readonly type: 'compact' | 'clear' | 'context' | 'cost' };

/** What a command or a skill brings for the query that carries it out. JSON. */
export interface PromptGrant {
  /** Permission rules. */
  readonly allow: readonly string[];
  /** Name or alias; null: the session's. */
  readonly model: string | null;
}

/** Runs a line that stands in a command's text. `allow`: rules that the command brings.
 *  Fails: CommandLineError. */
export type RunPromptLine = (line: string, allow: readonly string[]) => Promise<string>;

/** A line of a command must not run, or failed. The message names it, and the cure. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError';
}

export interface PromptPlace extends DefinitionPlace, Omit<MentionOptions, 'prompt'> {
  readonly runLine: RunPromptLine;
}

/** Expands commands and reads the files that are mentioned. Never throws for what the prompt says. */
export async function expandPrompt(prompt: string, place: PromptPlace): Promise<ExpandedPrompt> {
  const command = await resolveSlashCommand({ prompt, ...place });
  switch (command.type) {
    case 'unknown':
      return { type: 'local', answer: `Unknown command: /${command.name}` };
    case 'local':
      return { type: command.name };
    case 'none':
      return { type: 'prompt', text: prompt, attachments: await mentionedIn(prompt, place) };
    case 'prompt': {
      const { allowedTools: allow, model, name } = command.file;
      try {
        const run = (line: string): Promise<string> => place.runLine(line, allow);
        const text = await fillInAndRun(command.body, command.args, run);
        const attachments = await mentionedIn(text, place);
        const hasGrant = allow.length > 0 || model !== null;
        return { type: 'prompt', text, attachments, ...(hasGrant && { grant: { allow, model } }) };
      } catch (error) {
        if (!(error instanceof CommandLineError)) throw error;
        return { type: 'local', answer: `/${name} was not run. ${error.message}` };
      }
    }
  }
}

async function mentionedIn(prompt: string, place: PromptPlace): Promise<readonly Attachment[]> {
  const mentioned = await attachMentions({ ...place, prompt });
  return mentioned === null ? [] : [mentioned];
}
