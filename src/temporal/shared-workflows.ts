import type { Worker } from '@temporalio/worker';

type WorkflowCreator = Awaited<ReturnType<(typeof Worker)['createWorkflowCreator']>>;

/** What a thread that runs Workflows was set up with. */
export interface ThreadSetup {
  readonly code: string;
  readonly activityNames: readonly string[];
}

interface Shared {
  readonly of: ThreadSetup;
  readonly creator: Promise<WorkflowCreator>;
  users: number;
}

/** Threads in use. A thread with the bundled Workflows takes tens of megabytes, and one serves any number of Task
 *  Queues: runs are told apart by their ids. */
const threads = new Set<Shared>();
let areKept = false;

/** Threads outlive their last user from now on, for whoever comes next: to boot one costs 0.4 s of CPU. Returns what
 *  ends that, and the threads without a user. */
export function keepThreads(): () => Promise<void> {
  areKept = true;
  return async () => {
    areKept = false;
    await Promise.all([...threads].filter(({ users }) => users === 0).map(end));
  };
}

/** A thread that another Worker of this process runs the same Workflows in, or a new one. It ends with its last
 *  user, unless threads are kept. A Worker without Activities can use any. */
export async function shareWorkflows(
  of: ThreadSetup,
  create: () => Promise<WorkflowCreator>,
): Promise<WorkflowCreator> {
  const shared = [...threads].find((one) => serves(one.of, of)) ?? begin(of, create);
  shared.users += 1;
  const leave = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users === 0 && !areKept) await end(shared);
  };
  try {
    const creator = await shared.creator;
    return { createWorkflow: (options) => creator.createWorkflow(options), destroy: leave };
  } catch (error) {
    // What could not be created is not offered again.
    threads.delete(shared);
    throw error;
  }
}

function begin(of: ThreadSetup, create: () => Promise<WorkflowCreator>): Shared {
  const shared = { of, creator: create(), users: 0 };
  threads.add(shared);
  return shared;
}

async function end(shared: Shared): Promise<void> {
  threads.delete(shared);
  await (await shared.creator).destroy();
}

function serves(has: ThreadSetup, wanted: ThreadSetup): boolean {
  const names = new Set(has.activityNames);
  return has.code === wanted.code && wanted.activityNames.every((name) => names.has(name));
}
