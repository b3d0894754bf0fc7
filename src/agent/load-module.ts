import { createRequire } from 'node:module';
import { isNativeError } from 'node:util/types';
import type * as Jiti from 'jiti';
import { OwnCodeError } from './own-code-error';

/** Exports of a file of the user's: TypeScript or JavaScript, ES module or CommonJS. It is evaluated anew each
 *  time, with what it imports by relative paths. `everloop` is this very package, wherever the file lies; `zod` is
 *  the project's own, or ours if it has none.
 *  `cacheFolder`: keeps what was compiled; null: nothing does. Fails: OwnCodeError. */
export async function loadModule(file: string, cacheFolder: string | null): Promise<unknown> {
  // Loaded by those who need it: it takes as long as the rest of a short command.
  const { createJiti } = createRequire(__filename)('jiti') as typeof Jiti;
  const jiti = createJiti(file, {
    fsCache: cacheFolder ?? false,
    moduleCache: false,
    alias: { ...OURS, ...(hasOwnZod(file) ? {} : { zod: require.resolve('zod') }) },
  });
  try {
    return await jiti.import(file);
  } catch (error) {
    throw new OwnCodeError(`${file} cannot be loaded: ${reasonOf(error)}`, { cause: error });
  }
}

const OURS = {
  everloop: require.resolve('./index'),
  'everloop/pi': require.resolve('../pi'),
  'everloop/template': require.resolve('../template'),
  'everloop/in-process': require.resolve('../in-process'),
};

function hasOwnZod(file: string): boolean {
  try {
    createRequire(file).resolve('zod');
    return true;
  } catch {
    return false;
  }
}

/** What went wrong, where, and what to do, in a line or two. */
function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return `it threw ${String(error)}.`;
  const lost = /^Cannot find (?:module|package) '([^']+)'/.exec(error.message)?.[1];
  if (lost !== undefined) {
    return lost.startsWith('.') || lost.startsWith('/')
      ? `it imports ${lost}, which does not exist. Correct the path.`
      : `it imports the package ${lost}, which is not installed there. Install it: npm install ${lost}`;
  }
  const place = /\(?(\/[^\s()]+:\d+:\d+)\)?/.exec(error.stack ?? '')?.[1];
  const message = error.message.replace(/\s+/g, ' ').trim();
  const where = place === undefined || message.includes(place) ? '' : ` (${place})`;
  return `${message}${where}. Correct it and try again.`;
}
