import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Parts } from '../cluster';
import type { ClusterWorker } from '../cluster-worker';
import { MARK } from '../leftovers';
import { ROOT } from '../shape';
import { homeVariables } from '../worker-variables';

const execute = promisify(execFile);

/** The loss of a host costs 15 s at least, and parking 40 s; much more where others keep the machine busy. */
const COMMAND_WITHIN_MS = 300_000;

/** Where somebody works with the cluster, by commands: a host with a home folder. */
export class Desk {
  private constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {}

  /** `host`: a Worker's, whose home it has. Else a third one's. */
  static at(
    { folder, cluster, environment }: DeskOf,
    host: Pick<ClusterWorker, 'host' | 'folder'>,
    workspace: string | undefined = cluster.variables['EVERLOOP_WORKSPACE'],
  ): Desk {
    return new Desk({
      ...environment,
      ...cluster.variables,
      ...homeVariables(host.folder),
      [MARK]: folder,
      EVERLOOP_HOST: host.host,
      EVERLOOP_WORKSPACE: workspace,
    });
  }

  /** What the command writes to stdout. Fails: Error with what it writes to stderr, when its exit code is not 0. */
  async everloop(args: readonly string[], folder: string): Promise<string> {
    mkdirSync(folder, { recursive: true });
    const { stdout } = await execute(process.execPath, [join(ROOT, 'bin/everloop'), ...args], {
      cwd: folder,
      env: { ...this.environment },
      timeout: COMMAND_WITHIN_MS,
    });
    return stdout;
  }
}

interface DeskOf {
  /** The cluster's. */
  readonly folder: string;
  readonly cluster: Pick<Parts, 'variables'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
