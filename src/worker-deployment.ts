import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from './config';

/** One build of a Temporal Worker Deployment. */
export interface WorkerDeployment {
  readonly name: string;
  /** Workers with the same replay each other's histories. */
  readonly buildId: string;
}

/** null: Workers are not versioned. The build id that nobody chose is the version and a digest of the bundled
 *  Workflows, so that two builds of one version are two. */
export function workerDeployment(
  { deployment, buildId }: Pick<Config, 'deployment' | 'buildId'>,
  build: { readonly version: string; readonly workflowBundle: string },
): WorkerDeployment | null {
  if (deployment === null) return null;
  return { name: deployment, buildId: buildId ?? ownBuildId(build) };
}

function ownBuildId(build: { readonly version: string; readonly workflowBundle: string }): string {
  const code = readFileSync(build.workflowBundle);
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 8);
  return `${build.version}-${digest}`;
}

/** For an operator: what this Worker waits for. */
export const howToMakeCurrent = ({ name, buildId }: WorkerDeployment): string =>
  `Build ${buildId} of deployment ${name} polls. It takes new sessions when it is current: temporal worker deployment set-current-version --deployment-name ${name} --build-id ${buildId}`;
