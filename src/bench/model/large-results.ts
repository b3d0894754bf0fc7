import { join } from 'node:path';
import type { Reply } from '../../scripted-model/reply';
import { oneToolTurn } from './one-tool-turns';
import { writeRandomFile } from './random-file';

/** Together more than the 200,000 characters that the results of one message may have; each alone is whole. */
const CALLS = 10;
const RESULT_BYTES = 25_000;
/** Every so many turns. */
const EVERY = 10;

/** One-tool turns, and now and then ten results at once that are too large together; then a text. */
export function largeResultTurns(turns: number, folder: string): readonly Reply[] {
  const file = writeRandomFile(join(folder, 'large.txt'), RESULT_BYTES);
  const replies = Array.from({ length: turns }, (_, index) =>
    index % EVERY === EVERY - 1 ? largeResults(index, file) : oneToolTurn(index, folder),
  );
  return [...replies, { content: [{ type: 'text', text: 'Done.' }] }];
}

function largeResults(turn: number, file: string): Reply {
  const content = Array.from({ length: CALLS }, (_, call) => ({
    type: 'tool_use' as const,
    id: `toolu_bench_${turn}_${call}`,
    name: 'Bash',
    input: { command: `cat ${file}` },
  }));
  return { content };
}
