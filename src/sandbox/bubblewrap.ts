import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

/** Whether commands can be put into a sandbox here. */
export type Bubblewrap =
  | { readonly type: 'found'; readonly program: string }
  /** `detail` says what failed with the value seen, `cure` what to do about it. */
  | { readonly type: 'missing'; readonly detail: string; readonly cure: string };

const PROBE_MS = 10_000;

/** The namespaces and rights of every sandbox. No program inside ever gains a right, and none makes a namespace in
 *  which it would have some. */
export const ENCLOSURE = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
  ...['--unshare-cgroup-try', '--disable-userns', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
] as const;

/** `isWeaker`: with the list of processes of the machine, where no other can be mounted. */
export const procMount = (isWeaker: boolean): readonly string[] =>
  isWeaker ? ['--ro-bind', '/proc', '/proc'] : ['--proc', '/proc'];

const found = new Map<string, Promise<Bubblewrap>>();

/** Looks for `bwrap` on the path and lets it run a program once: namespaces may be forbidden. */
export function findBubblewrap(searchPath: string, isWeaker: boolean): Promise<Bubblewrap> {
  const key = `${isWeaker} ${searchPath}`;
  const known = found.get(key) ?? look(searchPath, isWeaker);
  found.set(key, known);
  // It may be installed while we run.
  void known.then(({ type }) => {
    if (type === 'missing') found.delete(key);
  });
  return known;
}

async function look(searchPath: string, isWeaker: boolean): Promise<Bubblewrap> {
  if (process.platform !== 'linux') {
    return {
      type: 'missing',
      detail: `there is none for ${process.platform}`,
      cure: 'Use Linux, or a virtual machine or container with it, where commands must be kept in.',
    };
  }
  const program = await findProgram(searchPath);
  if (program === undefined) {
    return {
      type: 'missing',
      detail: `bwrap is not on the path (${searchPath})`,
      cure: 'Install bubblewrap, for example: apt install bubblewrap.',
    };
  }
  const complaint = await probe(program, isWeaker);
  if (complaint === null) return { type: 'found', program };
  return {
    type: 'missing',
    detail: `${program} cannot make one: ${complaint}`,
    cure:
      'It needs bubblewrap 0.8 or newer and user namespaces. Allow those: on Ubuntu an AppArmor profile for bwrap, elsewhere ' +
      'sysctl -w kernel.unprivileged_userns_clone=1 or user.max_user_namespaces above 0; ' +
      'in a container, start that with --security-opt seccomp=unconfined and set sandbox.enableWeakerNestedSandbox.',
  };
}

async function findProgram(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter).filter((each) => path.isAbsolute(each))) {
    const program = path.join(folder, 'bwrap');
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

/** null: it works. */
function probe(program: string, isWeaker: boolean): Promise<string | null> {
  const mounts = ['--ro-bind', '/', '/', '--dev', '/dev', ...procMount(isWeaker)];
  const args = [...ENCLOSURE, ...mounts, '--', '/bin/sh', '-c', ':'];
  return new Promise((resolve) => {
    execFile(program, args, { timeout: PROBE_MS, env: {} }, (error, _, stderr) => {
      if (error === null) resolve(null);
      else resolve(stderr.trim().split('\n')[0] || error.message);
    });
  });
}
