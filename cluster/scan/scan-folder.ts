import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readShape } from '../shape';
import { dumpServer } from './dump';
import { findMarkers, findPlainly } from './find-markers';

export interface Scanned {
  /** By the word: columns and files that have it. */
  readonly found: ReadonlyMap<string, readonly string[]>;
  /** How much was looked at. */
  readonly figures: string;
}

/** Looks for words in every column of every database of a cluster, in the files of its Postgres server and in the logs
 *  of all its processes. */
export async function scanFolder(
  folder: string,
  variables: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<Scanned> {
  const found = new Map<string, string[]>();
  const add = (name: string, hits: readonly string[]): void => {
    for (const word of hits) found.set(word, [...(found.get(word) ?? []), name]);
  };
  const looked = { columns: 0, columnBytes: 0, files: 0, fileBytes: 0 };
  const { environment } = readShape(folder).postgres;
  const { port } = new URL(variables['EVERLOOP_STORE'] ?? '');
  const superuser = {
    port: Number(port),
    user: environment['POSTGRES_USER'] ?? '',
    password: environment['POSTGRES_PASSWORD'] ?? '',
  };
  for await (const { name, bytes } of dumpServer(superuser)) {
    add(name, findMarkers(bytes, words));
    looked.columns += 1;
    looked.columnBytes += bytes.length;
  }
  for (const part of ['postgres', 'logs']) {
    for (const file of filesIn(join(folder, part))) {
      const bytes = read(file);
      if (bytes === undefined) continue;
      add(file.slice(folder.length + 1), findPlainly(bytes, words));
      looked.files += 1;
      looked.fileBytes += bytes.length;
    }
  }
  const figures = `${looked.columns} columns with ${mebibytes(looked.columnBytes)} and ${looked.files} files with ${mebibytes(looked.fileBytes)}`;
  return { found, figures };
}

/** undefined: the server has removed it meanwhile. */
function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(PROGRAMS));
}

/** A copy of Postgres itself, with libraries. */
const PROGRAMS = '/postgres/native/';

const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
