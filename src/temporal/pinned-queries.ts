import { encodeVersioningBehavior } from '@temporalio/common/lib/worker-deployments';
import type { Creator } from './early-thread-worker';

const PINNED = encodeVersioningBehavior('PINNED') ?? null;

/** Queries keep the build that they began with; of all else the Worker's default holds. Not said in Workflow code: the
 *  server fails the Workflow Tasks of a Worker without versions that says it, and the code of both is the same. */
export function pinningQueries(creator: Creator): Creator {
  return {
    async createWorkflow(options) {
      const workflow = await creator.createWorkflow(options);
      if (options.info.workflowType !== 'query') return workflow;
      return {
        async activate(activation) {
          const completion = await workflow.activate(activation);
          if (completion.successful) completion.successful.versioningBehavior = PINNED;
          return completion;
        },
        getAndResetSinkCalls: () => workflow.getAndResetSinkCalls(),
        dispose: () => workflow.dispose(),
      };
    },
    destroy: () => creator.destroy(),
  };
}
