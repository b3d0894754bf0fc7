import { Worker as Thread } from 'node:worker_threads';

/** The thread in which a Worker runs its Workflows takes as long to load as everything else of the SDK, and the SDK
 *  starts it last. Started first, it loads beside the rest. */
let booted: Thread | null = null;

/** Call it as soon as it is known that this process will serve. Once per process is enough. */
export function bootWorkflowThread(): void {
  if (booted !== null) return;
  const thread = new Thread(
    require.resolve('@temporalio/worker/lib/workflow/workflow-worker-thread'),
  );
  booted = thread;
  // It keeps no process alive that leaves before it has a Worker; and one that failed is started anew by the SDK.
  thread.unref();
  thread.once('error', forget);
  thread.once('exit', forget);
}

/** The booted thread, for one Worker; undefined: there is none. */
export function takeWorkflowThread(): Thread | undefined {
  const thread = booted;
  if (thread === null) return undefined;
  forget();
  thread.off('error', forget);
  thread.off('exit', forget);
  thread.ref();
  return thread;
}

function forget(): void {
  booted = null;
}
