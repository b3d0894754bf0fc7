import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config';
import { openStore } from '../../src/open-store';
import type { ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { TranscriptStore } from '../../src/transcript/store';
import { untilSo } from '../checked';
import type { Parts } from '../cluster';
import type { ClusterWorker } from '../cluster-worker';
import { homeVariables } from '../worker-variables';
import { Desk } from './desk';
import { outlineOf } from './outline';

/** Of waits for what takes up to a minute by its own patience. */
export const PATIENCE_MS = 240_000;

export interface StageOptions {
  readonly cluster: Parts;
  /** The cluster's. */
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One session on the cluster, and somebody who follows it from a home folder that no Worker has. */
export interface Played {
  readonly sessionId: string;
  /** Where it works. */
  readonly folder: string;
  /** What `everloop attach` has printed; resolves when that has ended. */
  readonly followed: Promise<string>;
  /** Requests that the model had before. */
  readonly requestsBefore: number;
}

/** What claims about losses have at hand. */
export class Stage {
  readonly store: TranscriptStore;
  /** Where no Worker is. */
  readonly onlooker: Desk;

  constructor(readonly options: StageOptions) {
    const { cluster, folder } = options;
    const host = { host: 'onlooker', folder: join(folder, 'onlooker') };
    this.onlooker = Desk.at(options, host);
    this.store = openStore(
      loadConfig(withPassword({ ...cluster.variables, ...homeVariables(host.folder) }), folder),
    );
  }

  /** Begins a session in the background, in a folder of that name, and follows it from elsewhere. */
  async play(name: string, prompt: string, from: Desk): Promise<Played> {
    const { folder, model } = this.options;
    const cwd = join(folder, 'workspaces', name);
    const requestsBefore = model.requests.length;
    const begun = await from.everloop(['run', '--detach', prompt, '--allowed-tools', 'Bash'], cwd);
    const sessionId = begun.trim();
    const followed = this.onlooker.everloop(['attach', sessionId], join(folder, 'onlooker'));
    // Heard of when it is waited for.
    followed.catch(() => undefined);
    return { sessionId, folder: cwd, followed, requestsBefore };
  }

  /** The cluster's Worker that holds the session. */
  async ownerOf({ sessionId }: Played): Promise<ClusterWorker> {
    const lease = await (await this.store.openSession(sessionId))?.currentLease();
    const owner = this.options.cluster.workers.find(({ host }) => host === lease?.owner.host);
    if (owner !== undefined) return owner;
    throw new Error(
      `${lease?.owner.host ?? 'Nobody'} holds the session, which is no Worker of the cluster.`,
    );
  }

  /** Its conversation, a line for each block. */
  async outlineOf({ sessionId }: Played): Promise<readonly string[]> {
    const session = await this.store.openSession(sessionId);
    const leaf = (await session?.lastLeaf()) ?? null;
    return session === undefined || leaf === null ? [] : outlineOf(await session.chain(leaf));
  }

  /** Fails: Error when the model was asked more than once again. */
  modelCallsOf({ requestsBefore }: Played, undisturbed: number): string {
    const calls = this.options.model.requests.length - requestsBefore;
    if (calls >= undisturbed && calls <= undisturbed + 1) {
      return `${calls} model calls instead of ${undisturbed}`;
    }
    throw new Error(`The model was called ${calls} times instead of ${undisturbed} or one more.`);
  }
}

/** Resolves when the file is there. */
export async function fileIn(folder: string, name: string): Promise<void> {
  await untilSo(async () => {
    if (!existsSync(join(folder, name))) throw new Error(`${name} did not come in ${folder}.`);
  }, PATIENCE_MS);
}

/** Fails: Error when the command's effect, a line of the file, is not there once. */
export function requireOnce(folder: string, name: string): void {
  const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  if (lines.length !== 1) throw new Error(`${name} has ${lines.length} lines instead of 1.`);
}

/** This process reads none from its own environment. */
function withPassword(
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const url = new URL(variables['EVERLOOP_STORE'] ?? '');
  url.password = variables['PGPASSWORD'] ?? '';
  return { ...variables, EVERLOOP_STORE: url.href };
}
