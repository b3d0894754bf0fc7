import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../scripted-model/reply';

const TEXT_BYTES = 450;
const FILE_BYTES = 5_000;
const LINE_CHARS = 100;

/** N turns of 450 bytes of text and one Read of a file of its own, 5,000 bytes of random text; then a text.
 *  Writes the files. */
export function oneToolTurns(turns: number, folder: string): readonly Reply[] {
  mkdirSync(folder, { recursive: true });
  const replies = Array.from({ length: turns }, (_, index): Reply => {
    const file_path = join(folder, `${String(index).padStart(4, '0')}.txt`);
    writeFileSync(file_path, randomText(FILE_BYTES));
    return {
      content: [
        { type: 'text', text: randomText(TEXT_BYTES) },
        { type: 'tool_use', id: `toolu_bench_${index}`, name: 'Read', input: { file_path } },
      ],
    };
  });
  return [...replies, { content: [{ type: 'text', text: 'Done.' }] }];
}

function randomText(bytes: number): string {
  const text = randomBytes(Math.ceil(bytes * 0.75)).toString('base64url');
  const lines = text.match(new RegExp(`.{1,${LINE_CHARS - 1}}`, 'g')) ?? [];
  return `${lines.join('\n')}\n`.slice(0, bytes);
}
