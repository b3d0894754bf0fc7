import { z } from 'zod';
import { ToolError } from './tool';
import type { FileSnapshot } from './file-snapshot';

/** Text as notebooks hold it: whole, or as lines that keep their ends. */
const Text = z.union([z.string(), z.array(z.string())]);

const Output = z.looseObject({
  output_type: z.string(),
  text: Text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});
export type NotebookOutput = z.infer<typeof Output>;

const Cell = z.looseObject({
  id: z.string().optional(),
  cell_type: z.string(),
  source: Text,
  execution_count: z.number().nullable().optional(),
  outputs: z.array(Output).optional(),
});
export type NotebookCell = z.infer<typeof Cell>;

const Notebook = z.looseObject({
  cells: z.array(Cell),
  metadata: z
    .looseObject({ language_info: z.looseObject({ name: z.string().optional() }).optional() })
    .optional(),
  nbformat: z.number(),
  nbformat_minor: z.number(),
});
/** A Jupyter notebook of format 4. Fields that we do not know are kept. */
export type Notebook = z.infer<typeof Notebook>;

export const isNotebookPath = (file: string): boolean => /\.ipynb$/i.test(file);

/** Fails: ToolError for what is no notebook. */
export function parseNotebook({ path, bytes }: FileSnapshot): Notebook {
  const refuse = (why: string): ToolError =>
    new ToolError(
      `${path} is no notebook that can be used here: ${why}. Look at it with jq or cat in Bash.`,
    );
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  const parsed = Notebook.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  if (parsed.data.nbformat < 4) throw refuse(`its format ${parsed.data.nbformat} is too old`);
  return parsed.data;
}

/** As Jupyter writes it, with the indentation that the file had. */
export function formatNotebook(notebook: Notebook, before: FileSnapshot): Buffer {
  const text = before.bytes.toString();
  const indent = /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? (text.includes('\n') ? 1 : 0);
  const end = text.endsWith('\n') ? '\n' : '';
  return Buffer.from(JSON.stringify(notebook, null, indent) + end);
}

export const toText = (text: z.infer<typeof Text> | undefined): string =>
  Array.isArray(text) ? text.join('') : (text ?? '');

/** As Jupyter stores text. */
export const toLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** How a cell is named: by its id, or by its place where the format has none. */
export const cellName = ({ id }: NotebookCell, index: number): string => id ?? `cell-${index}`;

/** Index of the cell; -1: there is none. */
export function indexOfCell({ cells }: Notebook, name: string): number {
  const byId = cells.findIndex(({ id }) => id === name);
  if (byId !== -1) return byId;
  const place = /^(?:cell-)?(\d{1,9})$/.exec(name)?.[1];
  return place !== undefined && Number(place) < cells.length ? Number(place) : -1;
}
