import { z } from 'zod';
import { locate, requireInside } from './confinement';
import { digestOf, takeSnapshot } from './file-snapshot';
import type { FileSnapshot } from './file-snapshot';
import { changeFile, findChangeMade, hasIntendedChange, lasting } from './intended-change';
import { patchBetween } from './patch';
import { whyNotChangeable } from './seen-file';
import { defineTool, ToolError } from './tool';

const WriteInput = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working folder'),
  content: z.string().describe('The whole new content'),
});

export const writeTool = defineTool<z.infer<typeof WriteInput>>({
  name: 'Write',
  description: `Writes a whole file, and creates its folders.
- A file that exists must have been read before, and is replaced as a whole; for smaller changes use Edit.
- Content is written exactly as given.`,
  inputSchema: WriteInput,
  // Safe to run again: the intended content is noted first, see `intended-change.ts`.
  effect: 'rerun',
  summarize: (input) => input.file_path,
  async validateInput(input, context) {
    const { path, isInside } = await locate(input.file_path, context);
    // Permission is asked after validation; `call` refuses what is outside by then.
    if (!isInside || (await hasIntendedChange(context))) return null;
    const existing = await takeSnapshot(path);
    if (existing === undefined || holds(existing, input.content)) return null;
    return whyNotChangeable(existing, context.filesSeen);
  },
  async call(input, context) {
    const path = await requireInside(input.file_path, context);
    const existing = await takeSnapshot(path);
    const made =
      (await findChangeMade(path, existing, context)) ??
      (existing && holds(existing, input.content) ? await lasting(existing) : undefined);
    if (made !== undefined) {
      const structured = { type: 'update', filePath: path, structuredPatch: [] };
      return { content: `Wrote ${path}.`, structured, filesSeen: [made] };
    }
    const refusal = existing && whyNotChangeable(existing, context.filesSeen);
    if (refusal) throw new ToolError(refusal);

    const seen = await changeFile({ path, existing, bytes: Buffer.from(input.content) }, context);
    return {
      content: existing === undefined ? `Created ${path}.` : `Replaced ${path}.`,
      structured: {
        type: existing === undefined ? 'create' : 'update',
        filePath: path,
        structuredPatch: patchBetween(existing?.bytes.toString() ?? '', input.content),
      },
      filesSeen: [seen],
    };
  },
});

/** Then there is nothing to do, whoever wrote it: an attempt before a power cut may have, and have left no note. */
function holds(existing: FileSnapshot, content: string): boolean {
  return existing.digest === digestOf(Buffer.from(content));
}
