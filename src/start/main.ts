import { readFileSync } from 'node:fs';
import { CODE_CACHE, loadCommand } from './load-command';

function readCache(): Buffer | undefined {
  try {
    return readFileSync(CODE_CACHE);
  } catch {
    return undefined;
  }
}

loadCommand(readCache()).exports.run();
