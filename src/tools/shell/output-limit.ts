import { disk } from '../../disk/disk';
import type { CommandFiles } from './wrapper-script';

const OUTPUT_LIMIT_BYTES = 1024 ** 3;

/** Whether the command has printed more than is kept. */
export async function isFlooding({ output }: CommandFiles): Promise<boolean> {
  const size = (await disk.stat(output).catch(() => undefined))?.size ?? 0;
  return size > OUTPUT_LIMIT_BYTES;
}
