import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until, untilSo } from './until';
import type { World } from './world';

const run = promisify(execFile);

export const DEPLOYMENT = 'everloop';

/** As an operator does it. Waits until the server has heard of the build's Workers. */
export async function makeCurrent(world: World, buildId: string): Promise<void> {
  const { temporalCli, address } = world;
  await until(`build ${buildId} is current`, () =>
    run(temporalCli, [
      ...['worker', 'deployment', 'set-current-version', '--yes', '--address', address],
      ...['--deployment-name', DEPLOYMENT, '--build-id', buildId],
    ]).catch(() => undefined),
  );
}

/** Resolves when no Workflow is pinned to the build any more. */
export async function drained(world: World, buildId: string): Promise<void> {
  const version = `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:${buildId}'`;
  const query = `${version} AND TemporalWorkflowVersioningBehavior = 'Pinned' AND ExecutionStatus = 'Running'`;
  await untilSo(`nothing is pinned to ${buildId}`, async () => {
    const { count } = await world.client.workflow.count(query);
    return count === 0;
  });
}

/** Workflows that were ever pinned to the build: for a look that finds none, this one has to. */
export async function everPinned(world: World, buildId: string): Promise<number> {
  const query = `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:${buildId}' AND TemporalWorkflowVersioningBehavior = 'Pinned'`;
  return (await world.client.workflow.count(query)).count;
}
