import { readFile } from 'node:fs/promises';
import { listOf, readMarkdown } from './attachments/frontmatter';

/** A Markdown file that says what to do: a command or a skill. */
export interface PromptFile {
  /** As it is called, without the slash. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** For people and for the model; may be empty. */
  readonly description: string;
  /** For people: what may be written behind the name. */
  readonly argumentHint: string;
  /** Permission rules that hold while it is at work. */
  readonly allowedTools: readonly string[];
  /** Name or alias; null: that of the session. */
  readonly model: string | null;
  /** false: only people call it. */
  readonly isForModel: boolean;
  /** false: only the model calls it. */
  readonly isForPeople: boolean;
  readonly body: string;
}

/** null: it cannot be read. `nameOf` gets what the file calls itself, if it does. */
export async function readPromptFile(
  file: string,
  nameOf: (own: string | undefined) => string,
): Promise<PromptFile | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const { fields, body } = readMarkdown(text.replace(/^\uFEFF/, ''));
  const field = (name: string): string => (fields.get(name) ?? '').replace(/\s+/g, ' ').trim();
  const model = field('model');
  return {
    name: nameOf(fields.get('name')),
    path: file,
    description: [field('description'), field('when_to_use')].filter(Boolean).join(' '),
    argumentHint: field('argument-hint'),
    allowedTools: rulesIn(fields.get('allowed-tools') ?? ''),
    model: model === '' || model === 'inherit' ? null : model,
    isForModel: field('disable-model-invocation') !== 'true',
    isForPeople: field('user-invocable') !== 'false',
    body: body.trim(),
  };
}

/** Rules hold commas and spaces of their own: `Bash(git add:*, git commit:*), Read`. */
function rulesIn(value: string): readonly string[] {
  const lines = listOf(value.replace(/\([^)]*\)/g, (inside) => inside.replaceAll(',', '\0')));
  return lines
    .map((line) => line.replaceAll('\0', ','))
    .flatMap((line) => line.match(/[^\s()]+(?:\([^)]*\))?/g) ?? []);
}
