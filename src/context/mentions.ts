import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../permissions/file-target';
import type { FileSeen } from '../transcript/record';
import { toReminder } from './reminder';

const LIMIT_BYTES = 256 * 1024;
const LIMIT_ENTRIES = 200;

export interface MentionOptions {
  readonly prompt: string;
  /** Relative mentions begin here. Absolute. */
  readonly workingDirectory: string;
  /** Folders that may be read. Absolute, links resolved. */
  readonly roots: readonly string[];
  /** Whether permission rules let the file be read; omitted: all files. */
  readonly mayRead?: (file: string) => boolean;
}

/** What mentions add to a prompt. `filesSeen` count as read, so that they may be edited at once. */
export interface Attachment {
  readonly text: string;
  readonly filesSeen: readonly FileSeen[];
}

/** Paths written as `@src/a.ts` or `@"a name.txt"`, each once; not in code, not in e-mail addresses. */
export function findMentions(prompt: string): readonly string[] {
  const prose = prompt.replace(/```[^]*?(?:```|$)/g, ' ').replace(/`[^`\n]*`/g, ' ');
  const matches = prose.matchAll(
    /(?<=^|[\s([{'"])@(?:"(?<quoted>[^"\n]+)"|(?<plain>[^\s"'`,;)\]}]+))/g,
  );
  const names = [...matches].map(
    ({ groups }) => groups?.['quoted'] ?? groups?.['plain']?.replace(/[.:!?]+$/, '') ?? '',
  );
  return [...new Set(names.filter((name) => name !== ''))];
}

/** Reads what a prompt mentions; null: nothing that can be read. A name that is no file stays ordinary text. */
export async function attachMentions(options: MentionOptions): Promise<Attachment | null> {
  const parts = await Promise.all(
    findMentions(options.prompt).map((name) => readMention(name, options)),
  );
  const found = parts.filter((part) => part !== null);
  if (found.length === 0) return null;
  return {
    text: toReminder(
      `The user's message mentions what follows; it was read for you.\n\n${found.map(({ text }) => text).join('\n\n')}`,
    ),
    filesSeen: found.flatMap(({ filesSeen }) => filesSeen),
  };
}

async function readMention(name: string, options: MentionOptions): Promise<Attachment | null> {
  const { workingDirectory, roots, mayRead = () => true } = options;
  const file = path.resolve(workingDirectory, name);
  try {
    const place = await realpath(file);
    if (!isInside(place, roots) || !mayRead(file) || !mayRead(place)) return null;
    const stats = await stat(place);
    if (stats.isDirectory()) return await listFolder(file, place);
    if (!stats.isFile()) return null;
    if (stats.size > LIMIT_BYTES) return onlyText(tooLarge(file, stats.size));
    const bytes = await readFile(place);
    if (bytes.includes(0)) return onlyText(`${file} is not a text file; it was not read.`);
    const digest = createHash('sha256').update(bytes).digest('hex');
    return {
      text: `<file path="${file}">\n${bytes.toString('utf8')}\n</file>`,
      filesSeen: [{ path: file, mtimeMs: stats.mtimeMs, digest }],
    };
  } catch {
    // Not there, or not ours to read: the prompt still says what the user meant.
    return null;
  }
}

async function listFolder(folder: string, place: string): Promise<Attachment> {
  const entries = await readdir(place, { withFileTypes: true });
  const names = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const more = names.length - LIMIT_ENTRIES;
  return onlyText(
    [
      `<folder path="${folder}">`,
      ...names.slice(0, LIMIT_ENTRIES),
      ...(more > 0 ? [`… and ${more} more`] : []),
      '</folder>',
    ].join('\n'),
  );
}

function tooLarge(file: string, bytes: number): string {
  return `${file} was not read: it has ${bytes} bytes, more than ${LIMIT_BYTES}. Read the part that matters with the Read tool.`;
}

function onlyText(text: string): Attachment {
  return { text, filesSeen: [] };
}
