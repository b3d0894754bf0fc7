import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { WaitingRoom } from '../../scripted-model/waiting-room';
import type { Rig } from '../rig';
import type { BaselineInput, BaselineMessage, BaselineOrder, BaselineRequests } from './interface';

const STARTS_WITHIN_MS = 120_000;

/** A Worker of the empty loop in its own process. */
export class BaselineWorker {
  /** Instants at which `ask` began, since the last start. */
  asked: number[] = [];
  #isPolling = false;
  #isReady = false;
  readonly #taskQueue = `bench-${randomUUID()}`;
  readonly #child: ChildProcess;
  readonly #room = new WaitingRoom();

  private constructor(private readonly rig: Rig) {
    this.#child = fork(require.resolve('./worker-main'));
    this.#child.on('message', (message: BaselineMessage) => {
      if (message.type === 'polling') this.#isPolling = true;
      else if (message.type === 'ready') this.#isReady = true;
      else this.asked.push(message.atMs);
      this.#room.changed();
    });
    this.#child.once('exit', () => this.#room.close('The baseline Worker has ended.'));
  }

  static async start(rig: Rig): Promise<BaselineWorker> {
    const worker = new BaselineWorker(rig);
    const order: BaselineOrder = {
      address: rig.serverAddress,
      taskQueue: worker.#taskQueue,
      bundle: await bundleBaseline(rig),
    };
    worker.#child.send(order);
    await worker.#room.wait(() => worker.#isPolling || undefined, 'The baseline Worker', {
      timeoutMs: STARTS_WITHIN_MS,
    });
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Starts a run whose n-th `ask` posts so many bytes to the model, or, with null, nothing. Returns its Workflow id. */
  async run(turns: number, bodyBytes: readonly number[] | null): Promise<string> {
    const requests = bodyBytes === null ? null : { url: this.rig.model.url, bodyBytes };
    const message: BaselineRequests = { requests };
    this.#isReady = false;
    this.#child.send(message);
    await this.#room.wait(() => this.#isReady || undefined, 'The baseline Worker');
    this.asked = [];
    const workflowId = `bench-${randomUUID()}`;
    const context = { session: workflowId, model: 'bench', head: randomUUID(), turn: 0 };
    const input: BaselineInput = { turns, context };
    await this.rig.connected.client.workflow.start('emptyLoop', {
      workflowId,
      taskQueue: this.#taskQueue,
      args: [input],
    });
    return workflowId;
  }

  /** Instant of the n-th `ask`. Fails: Error after the time limit. */
  ask(index: number, timeoutMs: number): Promise<number> {
    return this.#room.wait(() => this.asked[index], `Call ${index} of the empty loop`, {
      timeoutMs,
    });
  }

  stop(): void {
    this.#child.removeAllListeners('exit');
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** Returns the file. */
async function bundleBaseline(rig: Rig): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('./workflow'),
    logger: new DefaultLogger('WARN'),
  });
  const file = join(rig.home, 'baseline-bundle.js');
  writeFileSync(file, code);
  return file;
}
