import path from 'node:path';
import { z } from 'zod';
import { toFileSeen, type FileSnapshot } from './file-snapshot';
import { runInThread } from './thread';
import { ToolError, type ToolResult } from './tool';

/** A request of 32 MB holds no more, once it is base64. */
const LARGEST_BYTES = 20 * 1024 * 1024;
/** More have to be asked for. */
const PAGES_UNASKED = 10;
const MOST_PAGES = 20;

const TIME_LIMIT_MS = 60_000;
const LIMIT_MB = 1_024;

export const isPdf = ({ bytes }: FileSnapshot): boolean =>
  bytes.subarray(0, 1_024).includes('%PDF-');

/** A PDF, or some of its pages, as a document that the model sees: text, tables and pictures.
 *  Fails: ToolError for what is too large, broken, encrypted, or not there. */
export async function showPdf(
  snapshot: FileSnapshot,
  pages: string | undefined,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { path: file, bytes } = snapshot;
  const range = pages === undefined ? null : parsePages(pages);
  const { total, part } = await cutOut(snapshot, range, signal);
  if (range === null && total > PAGES_UNASKED) {
    throw new ToolError(
      `${file} has ${total} pages. Say which to show with pages, at most ${MOST_PAGES} at once: pages "1-${PAGES_UNASKED}".`,
    );
  }
  if (range !== null && range.last > total) {
    throw new ToolError(`${file} has ${total} pages; there is no page ${range.last}.`);
  }
  const shown = part ?? bytes;
  if (shown.length > LARGEST_BYTES) {
    throw new ToolError(
      `${file}: ${part === null ? 'this PDF has' : 'these pages have'} ${shown.length} bytes, more than the ${LARGEST_BYTES} that can be shown. Ask for fewer with pages, or take the text out of it in Bash: pdftotext.`,
    );
  }
  const told =
    range === null ? `all ${total} pages` : `pages ${range.first}-${range.last} of ${total}`;
  return {
    content: [
      { type: 'text', text: `${file}: ${told}.` },
      {
        type: 'document',
        title: path.basename(file),
        source: {
          type: 'base64',
          media_type: 'application/pdf',
          data: Buffer.from(shown).toString('base64'),
        },
      },
    ],
    structured: {
      type: 'pdf',
      file: { filePath: file, originalSize: bytes.length, numPages: total, pages: pages ?? null },
    },
    filesSeen: [toFileSeen(snapshot)],
  };
}

/** Pages count from 1. */
interface PageRange {
  readonly first: number;
  readonly last: number;
}

function parsePages(pages: string): PageRange {
  const [, from, to] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(pages) ?? [];
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (from === undefined || first < 1 || last < first) {
    throw new ToolError(`pages is "${pages}", but must be a page or a range: "3" or "1-5".`);
  }
  const count = last - first + 1;
  if (count > MOST_PAGES) {
    throw new ToolError(`pages "${pages}" are ${count}; at most ${MOST_PAGES} are shown at once.`);
  }
  return { first, last };
}

const CUTTER = `
const { parentPort, workerData } = require('node:worker_threads');
const { PDFDocument } = require(workerData.library);
(async () => {
  const whole = await PDFDocument.load(workerData.bytes, { updateMetadata: false });
  const total = whole.getPageCount();
  const { range } = workerData;
  if (range === null || range.last > total) return parentPort.postMessage({ total, part: null });
  const part = await PDFDocument.create();
  const indices = Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first - 1 + i);
  for (const page of await part.copyPages(whole, indices)) part.addPage(page);
  parentPort.postMessage({ total, part: await part.save() });
})();
`;

const Cut = z.object({ total: z.number(), part: z.instanceof(Uint8Array).nullable() });

/** `part`: null: nothing was to be cut out. */
async function cutOut(
  { path: file, bytes }: FileSnapshot,
  range: PageRange | null,
  signal: AbortSignal,
): Promise<z.infer<typeof Cut>> {
  const input = { library: require.resolve('@cantoo/pdf-lib'), bytes, range };
  try {
    return Cut.parse(
      await runInThread(CUTTER, input, { ms: TIME_LIMIT_MS, megabytes: LIMIT_MB, signal }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      /encrypted/i.test(why)
        ? `${file} is protected by a password. Make a copy without one: qpdf --decrypt.`
        : `${file} cannot be read as a PDF: ${why}`,
    );
  }
}
