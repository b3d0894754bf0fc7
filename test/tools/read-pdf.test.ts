import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { readTool } from '../../src/tools/read';
import { createWorkspace, type Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(() => workspace.remove());

async function pdfOf(pages: number): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  for (let page = 1; page <= pages; page += 1) pdf.addPage([200 + page, 200]);
  return Buffer.from(await pdf.save());
}

async function put(bytes: Buffer): Promise<Buffer> {
  await writeFile(path.join(workspace.folder, 'd.pdf'), bytes);
  return bytes;
}

const read = (pages?: string) =>
  workspace.call(readTool, { file_path: 'd.pdf', ...(pages !== undefined && { pages }) });

/** Widths of the pages that the model sees: ours tell the page. */
async function pagesShown(content: unknown): Promise<readonly number[]> {
  const blocks = content as { type: string; source?: { data: string } }[];
  const data = blocks.find(({ type }) => type === 'document')?.source?.data ?? '';
  const pdf = await PDFDocument.load(Buffer.from(data, 'base64'));
  return pdf.getPages().map((page) => page.getWidth() - 200);
}

test('a small PDF is shown whole, byte for byte', async () => {
  const bytes = await put(await pdfOf(10));

  const { content, structured } = await read();

  expect(content).toMatchObject([
    { type: 'text', text: expect.stringContaining('all 10 pages') as string },
    {
      type: 'document',
      title: 'd.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
    },
  ]);
  expect(structured).toMatchObject({ type: 'pdf', file: { numPages: 10 } });
});

test('of a long PDF the pages have to be named', async () => {
  await put(await pdfOf(11));

  await expect(read()).rejects.toThrow(/has 11 pages\. Say which/);
});

test.each([
  ['3', [3]],
  ['10-12', [10, 11, 12]],
  [' 30 - 30 ', [30]],
])('pages %p are shown, and no others', async (pages, shown) => {
  await put(await pdfOf(30));

  expect(await pagesShown((await read(pages)).content)).toEqual(shown);
});

test.each([
  ['0', /must be a page or a range/],
  ['5-3', /must be a page or a range/],
  ['all', /must be a page or a range/],
  ['1-21', /at most 20/],
  ['29-31', /has 30 pages; there is no page 31/],
])('pages %p are refused', async (pages, why) => {
  await put(await pdfOf(30));

  await expect(read(pages)).rejects.toThrow(why);
});

test('a broken PDF is told as such', async () => {
  await put(Buffer.from('%PDF-1.7\nthis is all there is'));

  await expect(read()).rejects.toThrow(/cannot be read as a PDF/);
});

test('a PDF behind a password is told as such', async () => {
  const pdf = await PDFDocument.create();
  pdf.addPage();
  pdf.encrypt({ userPassword: 'secret' });
  await put(Buffer.from(await pdf.save()));

  await expect(read()).rejects.toThrow(/protected by a password/);
});

test('a PDF that is too large for a request is refused with the cure', async () => {
  await put(Buffer.concat([await pdfOf(1), Buffer.alloc(21 * 1024 * 1024, '% fill\n')]));

  await expect(read()).rejects.toThrow(/more than the 20971520 that can be shown/);
});

test('pages of what is no PDF are refused', async () => {
  await writeFile(path.join(workspace.folder, 'd.pdf'), 'plain text');

  await expect(read('1')).rejects.toThrow(/is no PDF: leave pages out/);
});
