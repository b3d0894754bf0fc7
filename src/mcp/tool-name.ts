import { createHash } from 'node:crypto';

/** The API's limit. */
const LONGEST = 128;

/** `mcp__server__tool`, with what the API does not take in a name as `_`. Too long a name is cut, and told apart
 *  by its digest. */
export function toToolName(server: string, tool: string): string {
  const name = `mcp__${plain(server)}__${plain(tool)}`;
  if (name.length <= LONGEST) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST - 9)}_${digest}`;
}

export const isMcpToolName = (name: string): boolean => name.startsWith('mcp__');

/** As it stands in the names of its tools and prompts. */
export const plain = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_');
