import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What every peer's program has in common: its order, its two tools, and how it talks with the benchmark. */
export const order = JSON.parse(process.env.BENCH_ORDER);

export const PROMPT = 'Read on.';

/** The tools as a tutorial writes them. */
export async function runTool(name, input) {
  if (name === 'Read') return readFile(input.file_path, 'utf8');
  if (name === 'Bash') {
    const { stdout } = await promisify(execFile)('sh', ['-c', input.command]);
    return stdout;
  }
  throw new Error(`There is no tool ${name}.`);
}

/** Says that the program is ready, and does what it is told: `run` and `resume` get `{id, calls}` and resolve at the
 *  end of the conversation. */
export function serve({ run, resume }) {
  process.on('message', ({ type, ...call }) => {
    (type === 'run' ? run : resume)(call).then(
      () => process.send({ type: 'ended', id: call.id, error: null }),
      (error) => process.send({ type: 'ended', id: call.id, error: causeOf(error) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
  process.send({ type: 'ready' });
}

/** Temporal wraps what really happened. */
function causeOf(error) {
  return error?.cause instanceof Error ? causeOf(error.cause) : String(error?.message ?? error);
}
