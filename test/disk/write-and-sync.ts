import path from 'node:path';
import { disk } from '../../src/disk/disk';

/** Run as a process of its own by real-disk.test.ts. */
async function main(folder: string): Promise<void> {
  const draft = path.join(folder, 'draft');
  const file = await disk.open(draft, 'wx', 0o600);
  await file.writeFile('text');
  await file.datasync();
  await file.close();
  await disk.readFile(draft, 'utf8');
  await disk.rename(draft, path.join(folder, 'final'));
}

void main(process.env['FOLDER'] ?? '');
