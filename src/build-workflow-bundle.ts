import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

/** Part of the build: bundles the Workflows once, so that no Worker start has to. */
async function main(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('./workflows'),
    logger: new DefaultLogger('WARN'),
  });
  writeFileSync(join(__dirname, 'workflow-bundle.js'), code);
}

void main();
