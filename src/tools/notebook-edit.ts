import { createHash } from 'node:crypto';
import { z } from 'zod';
import { locate, requireInside } from './confinement';
import { takeSnapshot, type FileSnapshot } from './file-snapshot';
import { changeFile, findChangeMade, hasIntendedChange } from './intended-change';
import {
  cellName,
  formatNotebook,
  indexOfCell,
  isNotebookPath,
  parseNotebook,
  toLines,
  type Notebook,
  type NotebookCell,
} from './notebook';
import { whyNotChangeable } from './seen-file';
import { defineTool, ToolError } from './tool';
import type { ToolContext } from './tool';

const NotebookEditInput = z.strictObject({
  notebook_path: z.string().min(1).describe('The .ipynb file'),
  cell_id: z
    .string()
    .optional()
    .describe('The cell, as Read names it. For insert: the one before; left out: at the top'),
  new_source: z.string().describe('The whole new source of the cell'),
  cell_type: z
    .enum(['code', 'markdown'])
    .optional()
    .describe('Required for insert; else the type stays as it is'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('Default: replace'),
});
type NotebookEditInput = z.infer<typeof NotebookEditInput>;

export const notebookEditTool = defineTool<NotebookEditInput>({
  name: 'NotebookEdit',
  description: `Changes one cell of a Jupyter notebook (.ipynb) that has been read in this conversation: replaces its source, inserts a new cell behind it, or deletes it.
- Cells are named by the id that Read shows.
- The outputs of a code cell that changes are cleared: they belong to the old source.`,
  inputSchema: NotebookEditInput,
  // Safe to run again: the intended content is noted first, see `intended-change.ts`.
  effect: 'rerun',
  summarize: ({ notebook_path: file, edit_mode: mode = 'replace', cell_id: id = '' }) =>
    `${file} ${mode} ${id}`,
  async validateInput(input, context) {
    const { path, isInside } = await locate(input.notebook_path, context);
    // Permission is asked after validation; `call` refuses what is outside by then.
    if (!isInside || (await hasIntendedChange(context))) return null;
    try {
      editNotebook(input, path, await takeSnapshot(path), context);
      return null;
    } catch (error) {
      if (error instanceof ToolError) return error.message;
      throw error;
    }
  },
  async call(input, context) {
    const path = await requireInside(input.notebook_path, context);
    const existing = await takeSnapshot(path);
    const made = await findChangeMade(path, existing, context);
    const { edit_mode: mode = 'replace', cell_type: type = null } = input;
    const structured = { notebook_path: path, edit_mode: mode, cell_type: type };
    if (made !== undefined) {
      return { content: `Edited ${path}.`, structured, filesSeen: [made] };
    }
    const { notebook, cell, before } = editNotebook(input, path, existing, context);
    const bytes = formatNotebook(notebook, before);
    const seen = await changeFile({ path, existing: before, bytes }, context);
    return {
      content: `${DONE[mode]} cell ${cell} of ${path}.`,
      structured: { ...structured, cell_id: cell, new_source: input.new_source },
      filesSeen: [seen],
    };
  },
});

const DONE = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const;

interface Edited {
  readonly notebook: Notebook;
  /** Name of the cell that was changed. */
  readonly cell: string;
  readonly before: FileSnapshot;
}

/** Fails: ToolError when the edit cannot be made. */
function editNotebook(
  input: NotebookEditInput,
  path: string,
  existing: FileSnapshot | undefined,
  context: ToolContext,
): Edited {
  if (!isNotebookPath(path)) {
    throw new ToolError(`${path} is no .ipynb file. For other files use Edit.`);
  }
  if (existing === undefined) {
    throw new ToolError(`${path} does not exist. Create the notebook with Write first.`);
  }
  const refusal = whyNotChangeable(existing, context.filesSeen);
  if (refusal !== null) throw new ToolError(refusal);
  const notebook = parseNotebook(existing);
  const { cell_id: name, edit_mode: mode = 'replace' } = input;
  if (mode === 'insert') {
    const at = name === undefined ? 0 : requireCell(notebook, name, path) + 1;
    const added = newCell(input, notebook, context);
    return {
      notebook: { ...notebook, cells: notebook.cells.toSpliced(at, 0, added) },
      cell: cellName(added, at),
      before: existing,
    };
  }
  if (name === undefined) throw new ToolError(`cell_id is missing: ${mode} needs a cell.`);
  const at = requireCell(notebook, name, path);
  const found = notebook.cells[at];
  if (found === undefined) throw new Error(`Cell ${at} of ${path} is gone.`);
  const cells =
    mode === 'delete'
      ? notebook.cells.toSpliced(at, 1)
      : notebook.cells.with(at, replaced(found, input));
  return { notebook: { ...notebook, cells }, cell: cellName(found, at), before: existing };
}

function requireCell(notebook: Notebook, name: string, path: string): number {
  const index = indexOfCell(notebook, name);
  if (index !== -1) return index;
  const names = notebook.cells.map(cellName).slice(0, 50).join(', ');
  throw new ToolError(
    `${path} has no cell "${name}". ${names === '' ? 'It has no cells.' : `Its cells: ${names}.`}`,
  );
}

function newCell(
  { new_source: source, cell_type: type }: NotebookEditInput,
  { nbformat, nbformat_minor: minor }: Notebook,
  { callFolder }: ToolContext,
): NotebookCell {
  if (type === undefined) throw new ToolError('cell_type is missing: insert needs to know it.');
  // The same in every attempt of the call.
  const id = createHash('sha256').update(callFolder).digest('hex').slice(0, 8);
  const hasIds = nbformat > 4 || minor >= 5;
  return {
    ...(hasIds && { id }),
    cell_type: type,
    metadata: {},
    source: toLines(source),
    ...(type === 'code' && { execution_count: null, outputs: [] }),
  };
}

function replaced(
  cell: NotebookCell,
  { new_source: source, cell_type: type = toType(cell) }: NotebookEditInput,
): NotebookCell {
  const isCode = type === 'code';
  return {
    ...cell,
    cell_type: type ?? cell.cell_type,
    source: toLines(source),
    // Cells of other types must not have them: what is undefined is not written.
    execution_count: isCode ? null : undefined,
    outputs: isCode ? [] : undefined,
  };
}

const toType = ({ cell_type: type }: NotebookCell): NotebookEditInput['cell_type'] =>
  type === 'code' ? type : undefined;
