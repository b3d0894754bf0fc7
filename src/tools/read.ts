import { z } from 'zod';
import { requireInside } from './confinement';
import { takeSnapshot, toFileSeen } from './file-snapshot';
import type { FileSnapshot } from './file-snapshot';
import { toImageBlock } from './image';
import { isNotebookPath } from './notebook';
import { showNotebook } from './show-notebook';
import { isPdf, showPdf } from './show-pdf';
import { findSimilarFile } from './similar-name';
import { defineTool, ToolError } from './tool';
import type { ToolResult } from './tool';

const LINE_LIMIT = 2_000;
const LINE_LENGTH_LIMIT = 2_000;
const SIZE_LIMIT_BYTES = 256 * 1024;

const ReadInput = z.strictObject({
  file_path: z.string().min(1).describe('The file; absolute, or relative to the working folder'),
  offset: z.number().int().min(0).optional().describe('First line to show, from 1'),
  limit: z.number().int().min(1).optional().describe(`Lines to show (default ${LINE_LIMIT})`),
  pages: z.string().optional().describe('Of a PDF: a page or a range, "3" or "1-5"; at most 20'),
});
type ReadInput = z.infer<typeof ReadInput>;

export const readTool = defineTool<ReadInput>({
  name: 'Read',
  description: `Reads a file and shows it with line numbers (number, tab, line), or as an image for PNG, JPEG, GIF and WebP.
- PDFs are shown as documents; of one with more than 10 pages say which with pages. Notebooks (.ipynb) are shown cell by cell, with their outputs.
- Shows the first ${LINE_LIMIT} lines; use offset and limit for other parts of a long file. Lines over ${LINE_LENGTH_LIMIT} characters are cut.
- A file must be read before Edit or Write may change it.
- The line number and the tab are not part of the file: leave them out of old_string in Edit.
- For folders use Glob, or ls in Bash.`,
  inputSchema: ReadInput,
  // Never stored and previewed: the model would read the stored file, whose result would be stored, and so on.
  resultLimitChars: Infinity,
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  summarize: (input) => input.file_path,
  async call(input, context) {
    const path = await requireInside(input.file_path, context);
    const snapshot = await takeSnapshot(path);
    if (snapshot === undefined) {
      const similar = await findSimilarFile(path);
      throw new ToolError(
        `${path} does not exist.${similar === undefined ? '' : ` Did you mean ${similar}?`}`,
      );
    }
    const image = toImageBlock(snapshot);
    if (image !== undefined) {
      return {
        content: [image],
        structured: {
          type: 'image',
          file: { filePath: path, originalSize: snapshot.bytes.length },
        },
        filesSeen: [toFileSeen(snapshot)],
      };
    }
    if (isPdf(snapshot)) {
      const { signal, workerGone } = context;
      return showPdf(snapshot, input.pages, AbortSignal.any([signal, workerGone]));
    }
    if (input.pages !== undefined) throw new ToolError(`${path} is no PDF: leave pages out.`);
    const isPart = input.offset !== undefined || input.limit !== undefined;
    if (isNotebookPath(path) && !isPart) return showNotebook(snapshot);
    return showText(snapshot, input);
  },
});

function showText(snapshot: FileSnapshot, input: ReadInput): ToolResult {
  const { path, bytes } = snapshot;
  if (bytes.includes(0)) {
    throw new ToolError(
      `${path} is a binary file. Look at it in Bash, for example with file or xxd.`,
    );
  }
  if (input.offset === undefined && input.limit === undefined) {
    requireSmall(path, bytes.length, 'file');
  }
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const first = Math.max(1, input.offset ?? 1);
  const shown = lines.slice(first - 1, first - 1 + (input.limit ?? LINE_LIMIT));
  const text = shown.map((line, index) => numbered(first + index, line)).join('\n');
  requireSmall(path, Buffer.byteLength(text), 'part');
  const file = {
    filePath: path,
    startLine: first,
    numLines: shown.length,
    totalLines: lines.length,
  };
  return {
    content: text + note(file),
    structured: { type: 'text', file },
    filesSeen: [toFileSeen(snapshot)],
  };
}

function requireSmall(path: string, sizeBytes: number, what: string): void {
  if (sizeBytes <= SIZE_LIMIT_BYTES) return;
  throw new ToolError(
    `${path}: this ${what} has ${sizeBytes} bytes, more than the ${SIZE_LIMIT_BYTES} that are shown at once. ` +
      `Read a part of it with offset and limit, or search it with Grep.`,
  );
}

function numbered(number: number, line: string): string {
  const cut =
    line.length > LINE_LENGTH_LIMIT
      ? `${line.slice(0, LINE_LENGTH_LIMIT)}… [line cut: ${line.length} characters]`
      : line;
  return `${String(number).padStart(6)}\t${cut}`;
}

function note(file: { startLine: number; numLines: number; totalLines: number }): string {
  if (file.totalLines === 0) return 'The file exists and is empty.';
  if (file.numLines === 0) {
    return `The file has ${file.totalLines} lines; line ${file.startLine} is past its end.`;
  }
  const next = file.startLine + file.numLines;
  const left = file.totalLines - next + 1;
  return left === 0 ? '' : `\n\n[${left} more lines; go on with offset ${next}]`;
}
