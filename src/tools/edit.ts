import { z } from 'zod';
import { locate, requireInside } from './confinement';
import { takeSnapshot } from './file-snapshot';
import type { FileSnapshot } from './file-snapshot';
import { changeFile, findChangeMade, hasIntendedChange } from './intended-change';
import { patchBetween } from './patch';
import { whyNotChangeable } from './seen-file';
import { findSimilarFile } from './similar-name';
import { replaceText } from './text-replacement';
import { defineTool, ToolError } from './tool';
import type { ToolContext } from './tool';

const EditInput = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working folder'),
  old_string: z.string().describe('The text to replace, exactly as it stands in the file'),
  new_string: z.string().describe('What takes its place'),
  replace_all: z.boolean().optional().describe('Replace every occurrence (default false)'),
});
type EditInput = z.infer<typeof EditInput>;

export const editTool = defineTool<EditInput>({
  name: 'Edit',
  description: `Replaces exact text in a file that has been read in this conversation.
- old_string must match exactly, indentation included, without the line numbers that Read shows.
- It must occur once: take in more of the lines around it, or set replace_all to change every occurrence.
- An empty old_string creates a new file with new_string as its content.`,
  inputSchema: EditInput,
  // Safe to run again: the intended content is noted first, see `intended-change.ts`.
  effect: 'rerun',
  summarize: (input) => input.file_path,
  async validateInput(input, context) {
    const { path, isInside } = await locate(input.file_path, context);
    // Permission is asked after validation; `call` refuses what is outside by then.
    if (!isInside || (await hasIntendedChange(context))) return null;
    const edited = await editText(input, path, await takeSnapshot(path), context);
    return edited.type === 'refused' ? edited.reason : null;
  },
  async call(input, context) {
    const path = await requireInside(input.file_path, context);
    const existing = await takeSnapshot(path);
    const made = await findChangeMade(path, existing, context);
    if (made !== undefined) {
      const structured = { filePath: path, structuredPatch: [] };
      return { content: `Edited ${path}.`, structured, filesSeen: [made] };
    }
    const edited = await editText(input, path, existing, context);
    if (edited.type === 'refused') throw new ToolError(edited.reason);

    const seen = await changeFile({ path, existing, bytes: Buffer.from(edited.after) }, context);
    const places = edited.count > 1 ? ` in ${edited.count} places` : '';
    return {
      content: existing === undefined ? `Created ${path}.` : `Edited ${path}${places}.`,
      structured: { filePath: path, structuredPatch: patchBetween(edited.before, edited.after) },
      filesSeen: [seen],
    };
  },
});

type Edited =
  | { readonly type: 'refused'; readonly reason: string }
  | {
      readonly type: 'edited';
      readonly before: string;
      readonly after: string;
      readonly count: number;
    };

async function editText(
  input: EditInput,
  path: string,
  existing: FileSnapshot | undefined,
  context: ToolContext,
): Promise<Edited> {
  if (input.old_string === input.new_string) {
    return refused('old_string and new_string are the same: nothing would change.');
  }
  if (existing === undefined) {
    if (input.old_string === '') {
      return { type: 'edited', before: '', after: input.new_string, count: 1 };
    }
    const similar = await findSimilarFile(path);
    const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
    return refused(`${path} does not exist.${hint}`);
  }
  if (input.old_string === '') {
    return refused(`${path} exists: an empty old_string only creates new files.`);
  }
  const refusal = whyNotChangeable(existing, context.filesSeen);
  return refusal === null ? replaceIn(existing, input) : refused(refusal);
}

function replaceIn(existing: FileSnapshot, input: EditInput): Edited {
  const before = decode(existing.bytes);
  if (before === undefined) {
    return refused(`${existing.path} is not UTF-8 text. Change it in Bash.`);
  }
  const replaced = replaceText(before, input);
  switch (replaced.type) {
    case 'replaced':
      return { type: 'edited', before, after: replaced.text, count: replaced.count };
    case 'no_match':
      return refused(
        `old_string was not found in ${existing.path}. Read the file again and copy the text exactly.`,
      );
    case 'not_unique':
      return refused(
        `old_string occurs ${replaced.count} times in ${existing.path}. ` +
          `Take in more of the text around it, or set replace_all.`,
      );
  }
}

function refused(reason: string): Edited {
  return { type: 'refused', reason };
}

/** Keeps a byte order mark as text, so that encoding gives the same bytes again; undefined: not UTF-8. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
