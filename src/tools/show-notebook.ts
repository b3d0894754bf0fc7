import type { ImageBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { toFileSeen, type FileSnapshot } from './file-snapshot';
import { imageBlockOf } from './image';
import {
  cellName,
  parseNotebook,
  toText,
  type NotebookCell,
  type NotebookOutput,
} from './notebook';
import { ToolError, type ToolResult } from './tool';

/** Of one cell's outputs; the rest is named. */
const OUTPUT_CHARS = 10_000;
const SHOWN_CHARS = 256 * 1024;

type Block = TextBlockParam | ImageBlockParam;

/** A notebook cell by cell, with what each has put out, pictures included. */
export function showNotebook(snapshot: FileSnapshot): ToolResult {
  const { path } = snapshot;
  const { cells, metadata } = parseNotebook(snapshot);
  const language = metadata?.language_info?.name ?? 'python';
  const blocks = cells.flatMap((cell, index) => showCell(cell, index, { path, language }));
  const chars = blocks.reduce((sum, it) => sum + (it.type === 'text' ? it.text.length : 0), 0);
  if (chars > SHOWN_CHARS) {
    throw new ToolError(
      `${path}: its cells have ${chars} characters, more than the ${SHOWN_CHARS} that are shown at once. Look at some of them in Bash: jq '.cells[:20]' and so on.`,
    );
  }
  return {
    content: blocks.length === 0 ? 'The notebook has no cells.' : mergeTexts(blocks),
    structured: { type: 'notebook', file: { filePath: path, numCells: cells.length } },
    filesSeen: [toFileSeen(snapshot)],
  };
}

function showCell(
  cell: NotebookCell,
  index: number,
  { path, language }: { readonly path: string; readonly language: string },
): readonly Block[] {
  const { cell_type: type, execution_count: count, outputs = [] } = cell;
  const facts = [
    type === 'code' ? '' : ` type="${type}"`,
    type === 'code' && language !== 'python' ? ` language="${language}"` : '',
    count == null ? '' : ` run="${count}"`,
  ];
  const source = `<cell id="${cellName(cell, index)}"${facts.join('')}>\n${toText(cell.source)}\n</cell>`;
  const texts = outputs.map(textOfOutput).filter((text) => text !== '');
  const text = texts.join('\n');
  const surplus = text.length - OUTPUT_CHARS;
  const cut =
    surplus <= 0
      ? text
      : `${text.slice(0, OUTPUT_CHARS)}\n[${surplus} more characters: jq '.cells[${index}].outputs' '${path}']`;
  return [
    { type: 'text', text: source },
    ...(cut === '' ? [] : [{ type: 'text', text: `<output>\n${cut}\n</output>` } as const]),
    ...outputs.flatMap(imageOfOutput),
  ];
}

function textOfOutput({ output_type: type, ...output }: NotebookOutput): string {
  if (type === 'stream') return toText(output.text);
  if (type === 'error') {
    const trace = (output.traceback ?? []).join('\n').replace(COLOURS, '');
    return trace === '' ? `${output.ename ?? 'Error'}: ${output.evalue ?? ''}` : trace;
  }
  const plain = output.data?.['text/plain'];
  return typeof plain === 'string' || isLines(plain) ? toText(plain) : '';
}

const COLOURS = /\u001b\[[\d;]*m/g;

/** A picture that the API would refuse is left out: it would cost the whole request. */
function imageOfOutput({ data = {} }: NotebookOutput): readonly ImageBlockParam[] {
  const encoded = ['image/png', 'image/jpeg'].map((type) => data[type]).find(isText);
  if (encoded === undefined) return [];
  const block = imageBlockOf(Buffer.from(toText(encoded), 'base64'));
  return block === undefined ? [] : [block];
}

const isLines = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((line) => typeof line === 'string');

const isText = (value: unknown): value is string | string[] =>
  typeof value === 'string' || isLines(value);

/** Neighbouring texts are one block. */
function mergeTexts(blocks: readonly Block[]): Block[] {
  const merged: Block[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    if (block.type === 'text' && last?.type === 'text') {
      merged[merged.length - 1] = { type: 'text', text: `${last.text}\n${block.text}` };
    } else merged.push(block);
  }
  return merged;
}
