import { join } from 'node:path';
import type { Reply } from '../../scripted-model/reply';
import { randomText, writeRandomFile } from './random-file';

const TEXT_BYTES = 450;
const FILE_BYTES = 5_000;

/** N turns of 450 bytes of text and one Read of a file of its own, 5,000 bytes of random text; then a text.
 *  Writes the files. */
export function oneToolTurns(turns: number, folder: string): readonly Reply[] {
  const replies = Array.from({ length: turns }, (_, index) => oneToolTurn(index, folder));
  return [...replies, { content: [{ type: 'text', text: 'Done.' }] }];
}

export function oneToolTurn(index: number, folder: string): Reply {
  const path = join(folder, `${String(index).padStart(4, '0')}.txt`);
  const file_path = writeRandomFile(path, FILE_BYTES);
  return {
    content: [
      { type: 'text', text: randomText(TEXT_BYTES) },
      { type: 'tool_use', id: `toolu_bench_${index}`, name: 'Read', input: { file_path } },
    ],
  };
}
