import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

/** Path of the Workflows as they are in the source now, bundled once per run (1-2 s). */
export async function workflowBundle(): Promise<string> {
  const home = process.env['EVERLOOP_TEST_SERVER_HOME'];
  if (!home) throw new Error('No EVERLOOP_TEST_SERVER_HOME: jest ran without its globalSetup.');
  const bundle = join(home, 'workflow-bundle.js');
  if (existsSync(bundle)) return bundle;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  // Test files run side by side: whoever is last replaces the same text.
  const draft = `${bundle}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, bundle);
  return bundle;
}
