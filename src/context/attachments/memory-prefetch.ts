import path from 'node:path';
import { glob } from 'tinyglobby';
import { readMarkdown } from './frontmatter';
import { readTextFile } from './text-file';
import { wordsOf } from './words';

/** A note from an earlier session that seems to bear on a prompt. */
export interface Memory {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Its beginning. */
  readonly text: string;
  readonly isCut: boolean;
  /** ISO date of its last change. */
  readonly savedOn: string;
}

/** A search that runs beside the query: nobody waits for it. */
export interface MemoryPrefetch {
  /** null: not done yet. Fails with whatever the search failed with. */
  settled(): readonly Memory[] | null;
}

export interface MemoryPlace {
  /** The session's folder; the project's memories are in `.claude/memory`. */
  readonly cwd: string;
  /** The user's memories are in `memory`. */
  readonly configDir: string;
}

const MOST = 5;
/** Of one memory (spec/loop 8.4). */
const LINES = 200;
const BYTES = 4_096;
/** Files of one folder that are looked at, by name. */
const LOOKED_AT = 500;
const TITLE_WEIGHT = 3;
const ENOUGH = 3;

/** Begins to look for memories that share words with the prompt. Never throws. */
export function startMemoryPrefetch(prompt: string, place: MemoryPlace): MemoryPrefetch {
  let state: { readonly memories: readonly Memory[] } | { readonly error: unknown } | null = null;
  findMemories(prompt, place).then(
    (memories) => (state = { memories }),
    (error: unknown) => (state = { error }),
  );
  return {
    settled() {
      if (state === null) return null;
      if ('error' in state) throw state.error;
      return state.memories;
    },
  };
}

/** The best first; equal ones by path, so that equal folders give equal answers. */
async function findMemories(
  prompt: string,
  { cwd, configDir }: MemoryPlace,
): Promise<readonly Memory[]> {
  const asked = wordsOf(prompt);
  if (asked.size === 0) return [];
  const folders = [path.join(cwd, '.claude', 'memory'), path.join(configDir, 'memory')];
  const rated = (await Promise.all(folders.map((folder) => rateFolder(folder, asked)))).flat();
  return rated
    .filter(({ score }) => score >= ENOUGH)
    .sort((a, b) => b.score - a.score || (a.memory.path < b.memory.path ? -1 : 1))
    .slice(0, MOST)
    .map(({ memory }) => memory);
}

interface Rated {
  readonly memory: Memory;
  readonly score: number;
}

async function rateFolder(folder: string, asked: ReadonlySet<string>): Promise<readonly Rated[]> {
  const names = await glob('*.md', { cwd: folder, expandDirectories: false });
  const rated = await Promise.all(
    names
      .sort()
      .slice(0, LOOKED_AT)
      .map((name) => rate(path.join(folder, name), folder, asked)),
  );
  return rated.filter((each) => each !== null);
}

/** A word in the name or description weighs as much as three in the text. */
async function rate(
  file: string,
  folder: string,
  asked: ReadonlySet<string>,
): Promise<Rated | null> {
  const found = await readTextFile(file, folder);
  if (found === null) return null;
  const { fields, body } = readMarkdown(found.text);
  const title = wordsOf(
    [path.basename(file, '.md'), fields.get('name'), fields.get('description')].join(' '),
  );
  const text = wordsOf(body);
  let score = 0;
  for (const word of asked) score += title.has(word) ? TITLE_WEIGHT : Number(text.has(word));
  const shown = beginningOf(body.trim());
  const savedOn = new Date(found.mtimeMs).toISOString().slice(0, 10);
  return { memory: { path: found.path, ...shown, savedOn }, score };
}

function beginningOf(text: string): { readonly text: string; readonly isCut: boolean } {
  const lines = text.split('\n').slice(0, LINES).join('\n');
  const bytes = Buffer.from(lines).subarray(0, BYTES);
  // A character that the limit divides goes.
  const shown = new TextDecoder().decode(bytes, { stream: true });
  return { text: shown, isCut: shown.length < text.length };
}
