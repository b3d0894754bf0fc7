import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fromModule } from './from-module';
import { loadModule } from './load-module';
import { joinOwnCode, NO_OWN_CODE, type OwnCode } from './own-code';
import { findCodeNote, OWN_CODE_NAME } from '../sandbox/own-code-guard';
import { OwnCodeError } from './own-code-error';

/** Code of the user's: of files that the command named, and of the folder that a session works in. */
export class OwnCodeFiles {
  readonly #files: readonly string[];
  readonly #cacheFolder: string;
  readonly #home: string | null;
  readonly #loaded = new Map<string, { readonly stamp: string; readonly code: Promise<OwnCode> }>();

  /** `files`: for every session, relative to `cwd`. `cacheFolder`: for what TypeScript was made into. `home`: where the
   *  sandbox notes which folders had no code before its commands ran there; absent: nowhere. */
  constructor(options: {
    readonly files: readonly string[];
    readonly cwd: string;
    readonly cacheFolder: string;
    readonly home?: string;
  }) {
    this.#files = options.files.map((file) => resolve(options.cwd, file));
    this.#cacheFolder = options.cacheFolder;
    this.#home = options.home ?? null;
  }

  /** Of a session in `folder`: its `everloop.config.ts` (or .js, .mjs, …) over the files that were named. A file
   *  that has changed is loaded anew. Fails: OwnCodeError. */
  async of(folder: string): Promise<OwnCode> {
    const config = findConfig(folder);
    if (config !== undefined && this.#home !== null) requireOwn(config, this.#home);
    const files = config === undefined ? this.#files : [...this.#files, config];
    let all = NO_OWN_CODE;
    for (const file of files) all = joinOwnCode(all, await this.#load(file));
    return all;
  }

  /** Of the files that were named. Fails: OwnCodeError. */
  async check(): Promise<void> {
    for (const file of this.#files) await this.#load(file);
  }

  #load(file: string): Promise<OwnCode> {
    const stamp = stampOf(file);
    const known = this.#loaded.get(file);
    if (known?.stamp === stamp) return known.code;
    const code = loadModule(file, this.#cacheFolder).then((exports) => fromModule(exports, file));
    this.#loaded.set(file, { stamp, code });
    // What it imports may be mended while the file itself stays as it is.
    code.catch(() => this.#loaded.delete(file));
    return code;
  }
}

/** A command in the sandbox must not have the Worker run what it wrote. */
function requireOwn(config: string, home: string): void {
  const note = findCodeNote(home, dirname(config));
  if (note === null) return;
  throw new OwnCodeError(
    `${config} was not there when commands first ran in the sandbox of its folder, so that one of them may have written it. ` +
      `Look at it. If it is yours, remove ${note}; else remove the file.`,
  );
}

function findConfig(folder: string): string | undefined {
  const found = namesIn(folder).filter((name) => OWN_CODE_NAME.test(name));
  if (found.length <= 1) return found.map((name) => join(folder, name))[0];
  throw new OwnCodeError(`${folder} has ${found.join(' and ')}. Keep one of them.`);
}

/** None in a folder that is gone: whoever works there says so. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, size } = statSync(file);
    return `${mtimeMs} ${size}`;
  } catch {
    throw new OwnCodeError(`There is no file ${file}. Name one that exports tools: --tools FILE`);
  }
}
