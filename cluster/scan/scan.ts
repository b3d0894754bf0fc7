import { newKeyLine } from '../../src/encryption/encryption-key';
import { Cluster, type ClusterOptions } from '../cluster';
import { CLEAR, HIDDEN, marker, type Marked } from './markers';
import {
  openSessions,
  openWorkspace,
  plantSessions,
  resumeSession,
  type Planted,
  type Workspace,
} from './planted-sessions';
import { scanFolder, type Scanned } from './scan-folder';

export interface ScanOptions extends ClusterOptions {
  readonly print: (line: string) => void;
  /** Resolves when somebody wants it to end. */
  readonly stopped: Promise<null>;
}

/** A cluster at work with the keys that it was given. */
interface Working {
  readonly workspace: Workspace;
  readonly scan: () => Promise<Scanned>;
}

/** Works on a cluster without keys, with one, and while it is replaced by another; looks for what was said in all that
 *  the server of Postgres keeps. Prints a line for each claim; returns how many do not hold. Needs the build, and the
 *  scripted model. */
export async function scanCluster(options: ScanOptions): Promise<number> {
  const { print, folder } = options;
  const [first, second] = ['first', 'second'].map(newKeyLine) as [string, string];
  const keys = [first, second].map((line) => line.slice(line.indexOf(':') + 1));
  let failed = 0;
  const judge = (claim: string, problems: readonly string[], holds: string): void => {
    if (problems.length > 0) failed += 1;
    print(
      problems.length > 0
        ? `FAILED  ${claim}: ${problems.join('; ')}`
        : `ok      ${claim}: ${holds}`,
    );
  };
  const work = <T>(name: string, lines: readonly string[], act: (at: Working) => Promise<T>) =>
    withCluster(
      { ...options, folder: `${folder}/${name}` },
      { lines, words: [...HIDDEN.map(marker), ...CLEAR.map(marker), ...keys] },
      act,
    );
  const judgeHidden = (claim: string, scanned: Scanned): void => {
    const hidden = [...HIDDEN.map(marker), ...keys];
    const problems = hidden.flatMap((word) => describeFound(scanned, word));
    judge(claim, problems, `none of ${hidden.length} words in ${scanned.figures}`);
  };

  await work('clear', [], async ({ workspace, scan }) => {
    const { background } = await plantSessions(workspace);
    await resumeSession(workspace, background);
    const scanned = await scan();
    const missing = [...HIDDEN, ...CLEAR].filter((place) => !scanned.found.has(marker(place)));
    judge('without keys, all of it is found', missing.map(notFound), scanned.figures);
  });
  const planted = await work('encrypted', [first], async ({ workspace, scan }) => {
    const sessions = await plantSessions(workspace);
    const scanned = await scan();
    judgeHidden('with a key, none of it is found', scanned);
    for (const place of CLEAR) print(`        in clear by design: ${placesOf(scanned, place)}`);
    return sessions;
  });
  await work('encrypted', [second, first], async ({ workspace, scan }) => {
    await workspace.everloop('keys', 'rotate');
    const use = await workspace.everloop('keys', 'ls', '--json');
    const needsOld = /"keyId":"first".*"storeRows":[1-9]/.test(use) ? [use] : [];
    judge('after a rotation, no row needs the old key', needsOld, use.trim().replace('\n', ', '));
    judge('after a rotation, sessions open', await openSessions(workspace, planted), OPENED);
    await resumeAll(workspace, planted);
    judgeHidden('after a rotation, none of it is found', await scan());
  });
  await work('encrypted', [second], async ({ workspace, scan }) => {
    judge('without the old key, sessions open', await openSessions(workspace, planted), OPENED);
    await resumeSession(workspace, planted.foreground);
    judgeHidden('without the old key, none of it is found', await scan());
  });
  return failed;
}

const OPENED = 'logs, attach and show read all of them';

async function resumeAll(workspace: Workspace, planted: Planted): Promise<void> {
  for (const id of [planted.background, planted.foreground]) await resumeSession(workspace, id);
}

async function withCluster<T>(
  options: ScanOptions,
  { lines, words }: { readonly lines: readonly string[]; readonly words: readonly string[] },
  act: (at: Working) => Promise<T>,
): Promise<T> {
  const { folder } = options;
  const configured = lines.length === 0 ? undefined : lines.join();
  const environment = { ...options.environment, EVERLOOP_ENCRYPTION_KEYS: configured };
  const cluster = new Cluster({ ...options, environment });
  const stopped = options.stopped.then(() => {
    throw new Error('It was stopped before its end.');
  });
  try {
    const { variables } = await Promise.race([cluster.up, stopped]);
    const workspace = openWorkspace(folder, { ...environment, ...variables });
    const working = { workspace, scan: () => scanFolder(folder, variables, words) };
    return await Promise.race([act(working), stopped]);
  } finally {
    await cluster.close();
  }
}

const notFound = (place: Marked): string => `${place} was planted, and is not there`;

const describeFound = ({ found }: Scanned, word: string): readonly string[] => {
  const places = found.get(word);
  return places === undefined ? [] : [`${word} is in ${places.join(', ')}`];
};

/** Files of the server repeat what its tables have. */
function placesOf({ found }: Scanned, place: (typeof CLEAR)[number]): string {
  const columns = (found.get(marker(place)) ?? []).filter(
    (name) => !name.includes('/') && !name.includes('pg_catalog'),
  );
  return `${place} in ${columns.join(', ')}`;
}
