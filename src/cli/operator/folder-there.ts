import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { backgroundQueue, workspaceQueue } from '../../temporal/task-queue';
import type { SessionMeta } from '../../transcript/store';
import type { FolderLook, FolderSeen } from '../../workflows/interface';
import { CliError } from '../cli-error';
import type { Operator } from './operator';

/** Nobody is there who could ask for them. */
const ASKED_WITHIN = '20s';

/** Looks once for each folder, however many sessions of it are moved. */
export class FoldersThere {
  readonly #asked = new Map<string, Promise<FolderSeen>>();

  constructor(
    private readonly to: string,
    private readonly operator: Pick<Operator, 'connected' | 'host'>,
  ) {}

  /** Fails: CliError where the session's folder is not, or nobody looks. */
  async require(meta: SessionMeta): Promise<void> {
    const { cwd, fingerprint } = meta;
    const key = JSON.stringify([cwd, fingerprint]);
    const asked = this.#asked.get(key) ?? this.#ask(meta);
    this.#asked.set(key, asked);
    const { isThere, host } = await asked;
    if (isThere) return;
    throw new CliError(
      `Its folder ${cwd} is not there on ${host}, which serves the workspace "${this.to}". Put it there (a clone, or a shared volume under the same path), then move it again. Or move it all the same: --force.`,
    );
  }

  async #ask({ sessionId, fingerprint }: SessionMeta): Promise<FolderSeen> {
    const { connected, host } = this.operator;
    const { place } = host.store;
    const look: FolderLook = {
      sessionId,
      taskQueue: workspaceQueue(place, fingerprint, this.to),
    };
    try {
      return await connected.client.workflow.execute<(look: FolderLook) => Promise<FolderSeen>>(
        'lookAtFolder',
        {
          workflowId: `everloop-look-${randomUUID()}`,
          taskQueue: backgroundQueue(place, fingerprint),
          args: [look],
          workflowExecutionTimeout: ASKED_WITHIN,
        },
      );
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      throw new CliError(
        `No Worker of the workspace "${this.to}" could be asked whether its folder is there (${String(error.cause)}). Try again, or move it all the same: --force.`,
      );
    }
  }
}
