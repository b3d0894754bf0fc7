import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { queryWorkflowId } from '../loop/workflow-id';
import { firedSessionId } from '../schedule/fired-session';
import { scheduleIdPrefix } from '../schedule/schedule-id';
import { sessionWorkflowId } from '../transcript/place';

/** A run of a Workflow, at the server. */
interface SessionRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly isOpen: boolean;
}

/** The runs of one session that the server keeps: its own, those of its queries and sub-agents, and the firing of the
 *  schedule that began it. */
export class SessionRuns {
  readonly #client: Client;
  readonly #place: string;
  readonly #sessionId: string;
  /** Ids that are asked for by name: the server's index is a moment behind. */
  readonly #named: readonly string[];

  /** `promptIds`: of queries that the session is known to have had. */
  constructor(
    client: Client,
    of: {
      readonly place: string;
      readonly sessionId: string;
      readonly promptIds: Iterable<string>;
    },
  ) {
    this.#client = client;
    this.#place = of.place;
    this.#sessionId = of.sessionId;
    const own = sessionWorkflowId(of.place, of.sessionId);
    this.#named = [own, ...[...of.promptIds].map((promptId) => queryWorkflowId(own, promptId))];
  }

  /** Each run once. */
  async find(): Promise<readonly SessionRun[]> {
    const own = sessionWorkflowId(this.#place, this.#sessionId);
    const firings = `WorkflowId STARTS_WITH '${scheduleIdPrefix(this.#place)}'`;
    const found = [
      ...(await this.#list(`WorkflowId STARTS_WITH '${own}'`)),
      ...(await this.#list(firings)).filter(
        ({ runId }) => firedSessionId(runId) === this.#sessionId,
      ),
    ];
    const listed = new Set(found.map(({ workflowId }) => workflowId));
    const missing = this.#named.filter((workflowId) => !listed.has(workflowId));
    const described = await Promise.all(missing.map((workflowId) => this.#describe(workflowId)));
    return [...found, ...described.flatMap((run) => run ?? [])];
  }

  /** Ends all runs and has the server delete them. It keeps that order, and carries it out when its own queues have
   *  caught up: within half a minute of the end of a run, by default. Returns how many there were. Safe to repeat.
   *  Source: `history.transferProcessorUpdateAckInterval` of the server, 30 s; measured: 30 s. */
  async delete(): Promise<number> {
    const told = new Set<string>();
    for (;;) {
      const left = (await this.find()).filter(({ runId }) => !told.has(runId));
      if (left.length === 0) return told.size;
      for (const run of left) {
        await this.#delete(run);
        told.add(run.runId);
      }
      // What was begun a moment ago is not in the index yet.
      await delay(INDEXED_WITHIN_MS);
    }
  }

  async #list(query: string): Promise<SessionRun[]> {
    const runs: SessionRun[] = [];
    for await (const { workflowId, runId, status } of this.#client.workflow.list({ query })) {
      runs.push({ workflowId, runId, isOpen: status.name === 'RUNNING' });
    }
    return runs;
  }

  async #describe(workflowId: string): Promise<SessionRun | undefined> {
    try {
      const { runId, status } = await this.#client.workflow.getHandle(workflowId).describe();
      return { workflowId, runId, isOpen: status.name === 'RUNNING' };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  async #delete({ workflowId, runId, isOpen }: SessionRun): Promise<void> {
    const { options, workflow, workflowService } = this.#client;
    const { namespace } = options;
    if (isOpen) {
      // It may have closed, or rolled over, since it was listed.
      await workflow
        .getHandle(workflowId)
        .terminate('The session is deleted.')
        .catch(unlessNotFound);
    }
    await workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
      .catch(unlessNotFound);
  }
}

const INDEXED_WITHIN_MS = 500;

/** gRPC's NOT_FOUND. */
const NOT_FOUND = 5;

function unlessNotFound(error: unknown): void {
  if (error instanceof WorkflowNotFoundError) return;
  if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return;
  throw error;
}
