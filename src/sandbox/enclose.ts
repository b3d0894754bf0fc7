import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ENCLOSURE, procMount } from './bubblewrap';
import { raiseGhosts } from './ghost-folders';
import { mountsOf, type CommandFiles } from './mounts';
import { listensOn, proxyVariables, type LaunchOrder } from './network-order';
import type { Sandbox } from './sandbox';
import { noteFoldersWithoutCode } from './own-code-guard';
import { socketFilter } from './socket-filter';
import { requireTemporaryFolder } from './temporary-folder';

export interface EnclosedPlace {
  /** Where the files of this start are kept, closed to the command. */
  readonly folder: string;
  /** Begins their names. */
  readonly name: string;
  readonly workingDirectory: string;
  readonly files: CommandFiles;
  /** true: all ends with its parent. */
  readonly endsWithParent: boolean;
}

/** A sandbox that is ready for one command. */
export interface Enclosure {
  /** Shell text before the command and its arguments, and behind it. */
  readonly before: string;
  readonly after: string;
  /** To be called once the command has ended, or stands in its mounts. */
  readonly release: () => void;
}

const ARGS_FD = 4;
const FILTER_FD = 5;

/** Writes down what bubblewrap is told: no list of processes shows it. */
export async function enclose(sandbox: Sandbox, place: EnclosedPlace): Promise<Enclosure> {
  const { places, settings, program } = sandbox;
  const temporary = await requireTemporaryFolder(places.temporary);
  const { args, ghosts } = await mountsOf(sandbox, place.files);
  await noteFoldersWithoutCode(places.home, places.roots);
  const release = await raiseGhosts(places.home, ghosts);
  const filter = filterFor(sandbox);
  const file = (ending: string): string => path.join(place.folder, `${place.name}.${ending}`);
  const variables = { TMPDIR: temporary, ...proxyVariables(settings.network) };
  const all = [
    ...ENCLOSURE,
    '--new-session',
    ...(place.endsWithParent ? ['--die-with-parent'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', ...procMount(settings.isWeaker)],
    ...args,
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', place.workingDirectory],
    ...(filter === null ? [] : ['--seccomp', String(FILTER_FD)]),
  ];
  await writeFile(file('args'), all.map((word) => `${word}\0`).join(''), { mode: 0o600 });
  if (filter !== null) await writeFile(file('filter'), filter, { mode: 0o600 });
  const filterFile = filter === null ? null : file('filter');
  if (listensOn(settings.network).length === 0) {
    const fds = [`${ARGS_FD}<${quote(file('args'))}`];
    if (filterFile !== null) fds.push(`${FILTER_FD}<${quote(filterFile)}`);
    const before = `${quote(program)} --args ${ARGS_FD} --`;
    return { before, after: fds.join(' '), release };
  }
  const order: LaunchOrder = {
    program,
    argsFile: file('args'),
    filterFile,
    network: settings.network,
  };
  await writeFile(file('launch'), JSON.stringify(order), { mode: 0o600 });
  const before = [...sandbox.launcher, file('launch')].map(quote).join(' ');
  return { before, after: '', release };
}

/** null: Unix sockets are allowed. */
function filterFor({ settings: { network } }: Sandbox): Buffer | null {
  if (network.allowAllUnixSockets || network.allowUnixSockets.length > 0) return null;
  const filter = socketFilter(process.arch);
  if (filter !== undefined) return filter;
  throw new Error(
    `The sandbox cannot close Unix sockets on ${process.arch}. ` +
      'Set sandbox.network.allowAllUnixSockets to true to go without that, or sandbox.enabled to false.',
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
