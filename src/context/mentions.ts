import type { ImageBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../permissions/file-target';
import { takeSnapshot, toFileSeen } from '../tools/file-snapshot';
import { toImageBlock } from '../tools/image';
import { ToolError } from '../tools/tool';
import type { FileSeen } from '../transcript/record';
import { toReminder } from './reminder';

const LIMIT_BYTES = 256 * 1024;
/** Of an image: far above what the API takes, so that the complaint is about the right thing. */
const IMAGE_LIMIT_BYTES = 32 * 1024 ** 2;
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
  /** Behind the text; absent: none. */
  readonly images?: readonly ImageBlockParam[];
  readonly filesSeen: readonly FileSeen[];
}

/** Paths written as `@src/a.ts`, `@src/a.ts#L5-10` or `@"a name.txt"`, each once; not in code, not in e-mail addresses. */
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
    images: found.flatMap(({ images = [] }) => images),
    filesSeen: found.flatMap(({ filesSeen }) => filesSeen),
  };
}

async function readMention(name: string, options: MentionOptions): Promise<Attachment | null> {
  return (await readPlace({ name, lines: null }, options)) ?? readPart(name, options);
}

interface Mention {
  readonly name: string;
  /** From 1, both included; null: all. */
  readonly lines: readonly [first: number, last: number] | null;
}

/** `#L5` and `#L5-10` name lines, unless a file is called so. */
async function readPart(name: string, options: MentionOptions): Promise<Attachment | null> {
  const match = /^(?<file>.+)#L(?<first>\d+)(?:-L?(?<last>\d+))?$/.exec(name)?.groups;
  if (match === undefined) return null;
  const first = Number(match['first']);
  const last = Number(match['last'] ?? first);
  return readPlace({ name: match['file'] ?? '', lines: [first, last] }, options);
}

async function readPlace(mention: Mention, options: MentionOptions): Promise<Attachment | null> {
  const { workingDirectory, roots, mayRead = () => true } = options;
  const file = path.resolve(workingDirectory, mention.name);
  try {
    const place = await realpath(file);
    if (!isInside(place, roots) || !mayRead(file) || !mayRead(place)) return null;
    const stats = await stat(place);
    if (stats.isDirectory()) return await listFolder(file, place);
    return stats.isFile() ? await readFileAt(file, place, mention.lines) : null;
  } catch {
    // Not there, or not ours to read: the prompt still says what the user meant.
    return null;
  }
}

/** `file` is how it is called, `place` where it lies. */
async function readFileAt(
  file: string,
  place: string,
  lines: Mention['lines'],
): Promise<Attachment | null> {
  const { size } = await stat(place);
  const isPart = lines !== null;
  if (size > IMAGE_LIMIT_BYTES) return onlyText(tooLarge(file, size));
  const snapshot = await takeSnapshot(place);
  if (snapshot === undefined) return null;
  const filesSeen = [{ ...toFileSeen(snapshot), path: file }];
  try {
    const image = toImageBlock(snapshot);
    if (image !== undefined)
      return { text: `${file} is an image, shown below.`, images: [image], filesSeen };
  } catch (error) {
    if (error instanceof ToolError) return onlyText(error.message);
    throw error;
  }
  const { bytes } = snapshot;
  if (bytes.includes(0)) return onlyText(`${file} is not a text file; it was not read.`);
  const text = isPart ? linesOf(bytes.toString('utf8'), lines) : bytes.toString('utf8');
  if (Buffer.byteLength(text) > LIMIT_BYTES) return onlyText(tooLarge(file, size));
  const part = isPart ? ` lines="${lines[0]}-${lines[1]}"` : '';
  return { text: `<file path="${file}"${part}>\n${text}\n</file>`, filesSeen };
}

function linesOf(text: string, [first, last]: readonly [number, number]): string {
  return text
    .split('\n')
    .slice(Math.max(first, 1) - 1, last)
    .join('\n');
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
