import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { glob } from 'tinyglobby';

/** What a prompt turns out to be.
 *  `none`: ordinary text. `prompt`: a custom command; `text` goes to the model instead.
 *  `local`: answered without a request. `unknown`: written like a command that nobody has. */
export type SlashCommand =
  | { readonly type: 'none' }
  | { readonly type: 'prompt'; readonly name: string; readonly text: string }
  | { readonly type: 'local'; readonly name: LocalCommand; readonly args: string }
  | { readonly type: 'unknown'; readonly name: string };

const LOCAL_COMMANDS = ['context', 'cost', 'compact'] as const;
type LocalCommand = (typeof LOCAL_COMMANDS)[number];

export async function resolveSlashCommand(options: {
  readonly prompt: string;
  readonly cwd: string;
  readonly configDir: string;
}): Promise<SlashCommand> {
  const { prompt, cwd, configDir } = options;
  // A path such as /usr/bin at the start of a prompt is no command.
  const match = /^\/(?<name>[a-z][\w:-]*)(?:\s+(?<args>[^]*))?$/.exec(prompt.trim());
  const name = match?.groups?.['name'];
  if (name === undefined) return { type: 'none' };
  const args = match?.groups?.['args'] ?? '';
  const local = LOCAL_COMMANDS.find((each) => each === name);
  if (local !== undefined) return { type: 'local', name: local, args };
  for (const folder of [path.join(cwd, '.claude'), configDir]) {
    const template = await findTemplate(path.join(folder, 'commands'), name);
    if (template !== undefined)
      return { type: 'prompt', name, text: expandTemplate(template, args) };
  }
  return { type: 'unknown', name };
}

/** Names of the custom commands, for those who list them. */
export async function listCustomCommands(
  cwd: string,
  configDir: string,
): Promise<readonly string[]> {
  const files = await Promise.all(
    [path.join(cwd, '.claude'), configDir].map((folder) =>
      commandFiles(path.join(folder, 'commands')),
    ),
  );
  const names = files.flat().map((file) => path.basename(file, '.md'));
  return [...new Set(names)].sort();
}

/** `sub:name` is sub/name.md; a plain name is found in subfolders too. */
async function findTemplate(commands: string, name: string): Promise<string | undefined> {
  const wanted = `${name.replaceAll(':', '/')}.md`;
  const files = await commandFiles(commands);
  const file =
    files.find((each) => each === wanted) ?? files.find((each) => each.endsWith(`/${wanted}`));
  return file === undefined ? undefined : readFile(path.join(commands, file), 'utf8');
}

async function commandFiles(commands: string): Promise<readonly string[]> {
  const files = await glob('**/*.md', { cwd: commands, expandDirectories: false });
  return files.sort();
}

/** One pass, so that an argument which looks like a placeholder stays as it is. */
function expandTemplate(template: string, args: string): string {
  const body = template.replace(/^\uFEFF?---\r?\n(?:[^]*?\r?\n)?---(?:\r?\n|$)/, '').trim();
  const words = splitArguments(args);
  const text = body.replace(PLACEHOLDER, (_, place: string | undefined) =>
    place === undefined ? args : (words[Number(place) - 1] ?? ''),
  );
  return args === '' || body.search(PLACEHOLDER) >= 0 ? text : `${text}\n\nARGUMENTS: ${args}`;
}

const PLACEHOLDER = /\$ARGUMENTS\b|\$([1-9])(?!\d)/g;

function splitArguments(args: string): readonly string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
