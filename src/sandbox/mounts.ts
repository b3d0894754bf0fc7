import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { protectedEntries } from './protected-entries';
import { SECRET_PLACES } from './secret-places';
import type { Sandbox } from './sandbox';

/** How the files of the machine look inside. */
export interface Mounts {
  /** For bubblewrap, in this order. */
  readonly args: readonly string[];
  /** Folders that have to be made, so that nothing can be written in their place. */
  readonly ghosts: readonly string[];
}

/** Single files that a command needs of what is closed. */
export interface CommandFiles {
  readonly read: readonly string[];
  readonly written: readonly string[];
}

/** `closed`: cannot be read. `private`: something of the session's own stands there. `opened`: can be read, although a
 *  folder above is one of these. Of two with one path the later counts. */
const ACCESS = ['closed', 'private', 'opened', 'written', 'kept'] as const;
type Access = (typeof ACCESS)[number];

interface Entry {
  readonly path: string;
  readonly access: Access;
  readonly isFolder: boolean;
}

/** All is read, what is closed is not, and only the session's folders are written. What lies deeper decides. */
export async function mountsOf(
  { settings, places }: Sandbox,
  files: CommandFiles,
): Promise<Mounts> {
  const { filesystem, network } = settings;
  const { home, userHome, configDir } = places;
  const secrets = [
    ...SECRET_PLACES.map((name) => path.join(userHome, name)),
    path.join(configDir, '.credentials.json'),
  ];
  const hasSockets = network.allowUnixSockets.length > 0;
  const kept = await entries('kept', filesystem.denyWrite);
  const written = (await entries('written', [...places.roots, ...filesystem.allowWrite])).filter(
    (entry) => !kept.some((above) => isBelow(entry.path, above.path)),
  );
  const folders = written.filter(({ isFolder }) => isFolder);
  const realHome = await realpath(userHome).catch(() => userHome);
  const found = await Promise.all(folders.map((folder) => protectedEntries(folder.path, realHome)));
  const ghosts = found.flatMap(({ missing }) => missing);
  const all = [
    ...(await entries('closed', [home, ...secrets, ...filesystem.denyRead])),
    ...(hasSockets ? await entries('closed', ['/run']) : []),
    ...(await entries('private', ['/tmp'])),
    ...(await entries('opened', [...files.read, ...places.readable, ...filesystem.allowRead])),
    ...(await entries('opened', hasSockets ? network.allowUnixSockets : [])),
    ...written,
    ...(await entries('written', [places.temporary])),
    ...(await entries('written', files.written)),
    ...(await entries(
      'written',
      found.flatMap(({ parents }) => parents),
    )),
    ...kept,
    ...(await entries(
      'kept',
      found.flatMap(({ existing }) => existing),
    )),
    ...ghosts.map((ghost): Entry => ({ path: ghost, access: 'kept', isFolder: true })),
  ];
  return { args: toArgs(settle(all), places.temporary), ghosts };
}

/** Those that exist, links resolved: nothing can be mounted over a link. */
async function entries(access: Access, files: readonly string[]): Promise<readonly Entry[]> {
  const found = await Promise.all(
    files.map(async (file): Promise<readonly Entry[]> => {
      try {
        const real = await realpath(file);
        return [{ path: real, access, isFolder: (await stat(real)).isDirectory() }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

/** One entry for each path, folders before what is in them. */
function settle(all: readonly Entry[]): readonly Entry[] {
  const byPath = new Map<string, Entry>();
  for (const entry of all) {
    const known = byPath.get(entry.path);
    if (known === undefined || ACCESS.indexOf(known.access) <= ACCESS.indexOf(entry.access)) {
      byPath.set(entry.path, entry);
    }
  }
  const sorted = [...byPath.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return sorted.flatMap((entry) => {
    if (entry.access !== 'opened') return [entry];
    const above = sorted.filter(({ path: folder }) => isBelow(entry.path, folder)).reverse();
    // Only what is closed has to be opened; it is then as writable as what the closed folder lies in.
    const [nearest, ...others] = above.filter(({ path: folder }) => folder !== entry.path);
    if (nearest?.access !== 'closed' && nearest?.access !== 'private') return [];
    const base = others.find(({ access }) => access === 'written' || access === 'kept');
    return [
      { ...entry, access: base?.access === 'written' ? ('written' as const) : ('opened' as const) },
    ];
  });
}

function toArgs(settled: readonly Entry[], temporary: string): readonly string[] {
  const closedFolders = settled.filter(({ access, isFolder }) => access === 'closed' && isFolder);
  return [
    ...settled.flatMap((entry) => toMount(entry, { settled, temporary })),
    // Mounts inside are made before nothing can be.
    ...closedFolders.flatMap(({ path: folder }) => ['--remount-ro', folder]),
  ];
}

function toMount(
  { path: file, access, isFolder }: Entry,
  { settled, temporary }: { readonly settled: readonly Entry[]; readonly temporary: string },
): readonly string[] {
  switch (access) {
    case 'closed': {
      if (!isFolder) return ['--ro-bind', '/dev/null', file];
      const holdsOthers = settled.some((other) => other.path !== file && isBelow(other.path, file));
      return ['--perms', holdsOthers ? '0111' : '0000', '--tmpfs', file];
    }
    case 'private':
      return ['--bind', temporary, file];
    case 'opened':
    case 'kept':
      // A folder that should stand for a missing name cannot be made where nobody can write anyway.
      return ['--ro-bind-try', file, file];
    case 'written':
      return ['--bind', file, file];
  }
}

const depthOf = (file: string): number => (file === '/' ? 0 : file.split('/').length);

const isBelow = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`);
