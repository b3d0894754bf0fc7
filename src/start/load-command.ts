import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';

export const DIST = path.join(__dirname, '..');
/** Made by the build: the command line with everything it needs, as one file. */
export const BUNDLE = path.join(DIST, 'command.js');
/** What V8 compiled of it. Another version of Node passes over it and compiles anew. */
export const CODE_CACHE = path.join(DIST, 'command.cache');

export interface CommandBundle {
  readonly script: Script;
  readonly exports: {
    /** Runs the command that the arguments of this process name. */
    run(): void;
    /** Becomes a Worker process of crash tests. */
    crashWorker(): void;
    /** Evaluates what most commands need, and does nothing with it. */
    load(): void;
  };
}

/** Loading 1,400 modules costs 0.6 s of CPU, of which resolving and compiling them is half: hence one file, with its
 *  code compiled before. Evaluates none of the command's modules yet. */
export function loadCommand(cachedData?: Buffer): CommandBundle {
  // The bundle is ASCII: as Latin-1 it is neither decoded nor widened.
  const source = readFileSync(BUNDLE, 'latin1');
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
    { filename: BUNDLE, ...(cachedData && { cachedData }) },
  );
  const module = { exports: {} as CommandBundle['exports'] };
  const evaluate = script.runInThisContext() as (...given: readonly unknown[]) => void;
  evaluate(module.exports, createRequire(BUNDLE), module, BUNDLE, DIST);
  return { script, exports: module.exports };
}

/** With what V8 compiled when the command was built, if that is there. */
export function loadCompiledCommand(): CommandBundle['exports'] {
  return loadCommand(readCache()).exports;
}

function readCache(): Buffer | undefined {
  try {
    return readFileSync(CODE_CACHE);
  } catch {
    return undefined;
  }
}
