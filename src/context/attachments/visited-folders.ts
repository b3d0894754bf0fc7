import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../permissions/file-target';
import type { TurnFacts } from './turn-facts';

/** Where a turn has been. All absolute, links resolved. */
export interface Visit {
  readonly cwd: string;
  /** Files inside cwd that the turn's calls read or wrote. */
  readonly files: readonly string[];
  /** The folders on their paths below cwd, each once, outer before inner. */
  readonly folders: readonly string[];
}

/** Instructions and skills in there are other people's, not the project's. */
const FOREIGN: readonly string[] = ['node_modules', '.git'];

export function visitOf({ cwd, newResults }: TurnFacts): Visit {
  const root = realpathSync.native(cwd);
  const seen = newResults.flatMap(({ everloop }) => everloop?.files ?? []);
  const files = [...new Set(seen.map((file) => file.path))].filter(
    (file) => isInside(file, [root]) && !isForeign(path.relative(root, file)),
  );
  const folders = new Set(files.flatMap((file) => foldersBetween(root, path.dirname(file))));
  return { cwd: root, files, folders: [...folders] };
}

const isForeign = (relative: string): boolean =>
  relative.split(path.sep).some((name) => FOREIGN.includes(name));

/** Without `outer` itself. */
function foldersBetween(outer: string, inner: string): readonly string[] {
  const names = path.relative(outer, inner).split(path.sep).filter(Boolean);
  return names.map((_, index) => path.join(outer, ...names.slice(0, index + 1)));
}
