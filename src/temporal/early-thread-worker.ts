import { readFileSync } from 'node:fs';
import { DefaultFailureConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import { isPathBundleOption } from '@temporalio/worker/lib/worker-options';
import {
  ThreadedVMWorkflowCreator,
  WorkerThreadClient,
} from '@temporalio/worker/lib/workflow/threaded-vm';
import { encodeFailures } from '../encryption/workflow-failures';
import { pinningQueries } from './pinned-queries';
import { shareWorkflows } from './shared-workflows';
import { takeWorkflowThread } from './workflow-thread';

type Bundle = (typeof Worker)['getOrCreateBundle'];
type Create = (typeof Worker)['createWorkflowCreator'];
export type Creator = Awaited<ReturnType<Create>>;

/** A Worker whose Workflow thread was booted before the SDK was loaded (workflow-thread.ts), if it was, and which
 *  shares it with the other Workers of its process. It is set up just as the SDK sets up its own. */
export class EarlyThreadWorker extends Worker {
  /** Read at once, so that the thread has its Workflows before this one goes on to load something else. */
  protected static override async getOrCreateBundle(
    ...[options, logger]: Parameters<Bundle>
  ): ReturnType<Bundle> {
    const { workflowBundle } = options;
    if (workflowBundle === undefined || !isPathBundleOption(workflowBundle)) {
      return super.getOrCreateBundle(options, logger);
    }
    const { codePath } = workflowBundle;
    return parseWorkflowCode(readFileSync(codePath, 'utf8'), codePath);
  }

  protected static override async createWorkflowCreator(
    ...parameters: Parameters<Create>
  ): ReturnType<Create> {
    const creator = await this.createSharedCreator(...parameters);
    const { failureConverter } = parameters[1].loadedDataConverter;
    const isEncoded =
      failureConverter instanceof DefaultFailureConverter &&
      failureConverter.options.encodeCommonAttributes;
    const safe = isEncoded ? encoding(creator) : creator;
    const isVersioned = parameters[1].workerDeploymentOptions?.useWorkerVersioning === true;
    return isVersioned ? pinningQueries(safe) : safe;
  }

  private static async createSharedCreator(
    ...[workflowBundle, options, logger]: Parameters<Create>
  ): ReturnType<Create> {
    const { activities, patchActivationCallback } = options;
    if (patchActivationCallback !== undefined) {
      return super.createWorkflowCreator(workflowBundle, options, logger);
    }
    const of = { code: workflowBundle.code, activityNames: [...activities.keys()] };
    return shareWorkflows(of, async () => {
      const thread = takeWorkflowThread();
      if (thread === undefined) return super.createWorkflowCreator(workflowBundle, options, logger);
      const { isolateExecutionTimeoutMs, reuseV8Context } = options;
      const client = new WorkerThreadClient(thread, logger);
      await client.send({
        type: 'init',
        workflowBundle,
        isolateExecutionTimeoutMs,
        reuseV8Context,
        registeredActivityNames: new Set(activities.keys()),
        hasPatchActivationCallback: false,
      });
      return new ThreadedVMWorkflowCreator([client]);
    });
  }
}

/** Failures of its Workflows leave the thread without texts. */
function encoding(creator: Creator): Creator {
  return {
    async createWorkflow(options) {
      const workflow = await creator.createWorkflow(options);
      return {
        activate: async (activation) => encodeFailures(await workflow.activate(activation)),
        getAndResetSinkCalls: () => workflow.getAndResetSinkCalls(),
        dispose: () => workflow.dispose(),
      };
    },
    destroy: () => creator.destroy(),
  };
}
