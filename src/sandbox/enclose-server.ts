import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { enclose, type Enclosure } from './enclose';
import type { Sandbox } from './sandbox';

/** A sandbox for a program that runs as long as the session is served, and ends with us. */
export async function encloseServer(
  sandbox: Sandbox,
  command: readonly string[],
  cwd: string,
): Promise<Enclosure> {
  const { home, temporary } = sandbox.places;
  const folder = path.join(home, 'sandbox', 'servers');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = createHash('sha256')
    .update([temporary, cwd, ...command].join('\0'))
    .digest('hex')
    .slice(0, 32);
  return enclose(sandbox, {
    folder,
    name,
    workingDirectory: cwd,
    files: { read: [], written: [] },
    endsWithParent: true,
  });
}
