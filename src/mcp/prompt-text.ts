import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { findMentions } from '../context/mentions';
import { toReminder } from '../context/reminder';
import type { Catalog, PromptDefinition } from './catalog';
import { CallFailure } from './failure';
import { readResource } from './resource-tools';
import type { SessionServers } from './session-servers';
import { plain } from './tool-name';

interface Asked {
  readonly catalog: Catalog;
  readonly servers: SessionServers;
  readonly signal: AbortSignal;
}

/** Names of the commands that prompts of servers are, without the slash. */
export const promptCommands = (catalog: Catalog): readonly string[] =>
  commandsOf(catalog).map(({ command }) => command);

/** What `/mcp__server__prompt words` says to the model; null: it is no such command. `local`: it cannot be said,
 *  and why. */
export async function expandServerPrompt(
  text: string,
  { catalog, servers, signal }: Asked,
): Promise<
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'local'; readonly answer: string }
  | null
> {
  const match = /^\/(?<name>mcp__\S+)(?:\s+(?<args>[^]*))?$/.exec(text.trim());
  const found = commandsOf(catalog).find(({ command }) => command === match?.groups?.['name']);
  if (found === undefined) return null;
  const { server, prompt, command } = found;
  const args = toArguments(prompt, match?.groups?.['args'] ?? '');
  const missing = prompt.arguments.filter(
    ({ name, required }) => required && args[name] === undefined,
  );
  if (missing.length > 0) {
    const usage = prompt.arguments.map(({ name, required }) =>
      required ? `<${name}>` : `[${name}]`,
    );
    return {
      type: 'local',
      answer: `/${command} needs more. Write: /${command} ${usage.join(' ')}`,
    };
  }
  try {
    const { messages } = await servers.use(
      server,
      (connection) => connection.getPrompt(prompt.name, args, signal),
      { mayRepeat: true, signal },
    );
    return { type: 'text', text: messages.map(({ content }) => toText(content)).join('\n\n') };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return { type: 'local', answer: `/${command} cannot be used: ${error.message}` };
  }
}

/** Resources that a prompt mentions as `@server:uri`, read for the model; null: it mentions none. */
export async function readMentionedResources(
  prompt: string,
  { catalog, servers, signal }: Asked,
): Promise<string | null> {
  const mentioned = findMentions(prompt).flatMap((mention) => {
    const server = catalog.servers.find(
      ({ name, hasResources }) => hasResources && mention.startsWith(`${name}:`),
    );
    return server === undefined
      ? []
      : [{ server: server.name, uri: mention.slice(server.name.length + 1) }];
  });
  if (mentioned.length === 0) return null;
  const parts = await Promise.all(
    mentioned.map(async ({ server, uri }) => {
      try {
        const { contents } = await readResource(servers, { server, uri, signal });
        const texts = contents.map((one) =>
          'text' in one ? one.text : `[${one.mimeType ?? 'bytes'}]`,
        );
        return `<resource server="${server}" uri="${uri}">\n${texts.join('\n')}\n</resource>`;
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        return `<resource server="${server}" uri="${uri}">It could not be read: ${reason}</resource>`;
      }
    }),
  );
  return toReminder(
    `The user's message mentions what follows; it was read for you.\n\n${parts.join('\n\n')}`,
  );
}

interface PromptCommand {
  readonly command: string;
  readonly server: string;
  readonly prompt: PromptDefinition;
}

const commandsOf = ({ servers }: Catalog): readonly PromptCommand[] =>
  servers.flatMap(({ name: server, prompts }) =>
    prompts.map((prompt) => ({
      command: `mcp__${plain(server)}__${plain(prompt.name)}`,
      server,
      prompt,
    })),
  );

/** Words in the order of the prompt's arguments; the last one takes all that is left. */
function toArguments(
  { arguments: names }: PromptDefinition,
  given: string,
): Record<string, string> {
  const words = given.split(/\s+/).filter((word) => word !== '');
  const last = names.length - 1;
  return Object.fromEntries(
    names.flatMap(({ name }, index) => {
      const value = index === last ? words.slice(index).join(' ') : words[index];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

function toText(content: ContentBlock): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource':
      return 'text' in content.resource
        ? content.resource.text
        : `[Resource ${content.resource.uri}]`;
    case 'resource_link':
      return `[Resource ${content.name}: ${content.uri}]`;
    case 'image':
    case 'audio':
      return `[${content.mimeType} of the prompt: it cannot be shown]`;
  }
}
