import { realpath } from 'node:fs/promises';
import { readMemoryFiles } from '../memory-file';
import { toReminder } from '../reminder';
import { attachedKeys } from './attached-keys';
import { filesKnown } from './known-file';
import { projectRules, rulesFor, userRules } from './rule-file';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';
import { visitOf, type Visit } from './visited-folders';

const FILE_CHARS = 20_000;
const ALL_CHARS = 40_000;

interface Instructions {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly text: string;
}

/** Brings in the memory files and rules on the way to the files that the turn has read or written, unless the
 *  conversation began with them, was told of them since, or has read them itself. */
export async function attachNestedMemory(facts: TurnFacts): Promise<TurnAttachment | null> {
  const visit = visitOf(facts);
  if (visit.files.length === 0) return null;
  const found = await instructionsFor(visit, facts);
  if (found.length === 0) return null;
  const known = new Set([
    ...(await loadedAtStart(facts.userContext)),
    ...attachedKeys(facts.chain, 'nested_memory'),
    ...filesKnown(facts.chain).keys(),
  ]);
  const fresh = found.filter(
    ({ path, text }) => !known.has(path) && text.trim() !== '' && (facts.mayRead?.(path) ?? true),
  );
  if (fresh.length === 0) return null;
  return {
    type: 'nested_memory',
    text: toReminder(
      [
        'Standing instructions for the folders that you have just worked in. They hold for the files below those folders and come before instructions of outer folders. Follow them where they bear on the task, and do not mention them.',
        ...tell(fresh),
      ].join('\n\n'),
    ),
    filesSeen: [],
    keys: fresh.map(({ path }) => path),
  };
}

/** Outer before inner: of two that disagree the later one counts. */
async function instructionsFor(
  visit: Visit,
  { configDir }: TurnFacts,
): Promise<readonly Instructions[]> {
  const folders = visit.folders.map((folder) => ({ folder, kind: 'project' as const }));
  const memory = (await readMemoryFiles(folders, { importRoot: visit.cwd })).map(
    async ({ path, text }) => ({ path: await realpath(path).catch(() => path), text }),
  );
  const rules = [
    ...(configDir === undefined ? [] : [userRules(configDir, visit.cwd)]),
    // Those of cwd itself too: the conversation's start knows only what holds for all files.
    ...[visit.cwd, ...visit.folders].map((folder) => projectRules(folder, visit.cwd)),
  ].map((folder) => rulesFor(folder, visit));
  return [...(await Promise.all(memory)), ...(await Promise.all(rules)).flat()];
}

/** The files whose contents the first message tells. What they are now does not matter. */
async function loadedAtStart(userContext: string | null): Promise<readonly string[]> {
  const named = (userContext ?? '').matchAll(/^Contents of (.+) \([^()\n]+\):$/gm);
  return Promise.all([...named].map(([, file = '']) => realpath(file).catch(() => file)));
}

function tell(files: readonly Instructions[]): readonly string[] {
  let left = ALL_CHARS;
  return files.map(({ path, text }) => {
    const shown = text.trim().slice(0, Math.min(left, FILE_CHARS));
    left -= shown.length;
    if (shown === '') return `${path} holds more of them: read it.`;
    const rest = text.trim().length - shown.length;
    const note = rest === 0 ? '' : `\n[${rest} more characters: read the file]`;
    return `Contents of ${path}:\n\n${shown}${note}`;
  });
}
