import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Durable } from '../support/durable';
import { transpiled } from '../support/transpiled';
import { workflowBundle } from '../support/workflow-bundle';
import { environmentOf } from './served';

/** The program of agent-child.ts, serving the session. Resolves when it polls. */
export async function startAgentProcess(durable: Durable): Promise<ChildProcess> {
  const script = transpiled(join(__dirname, 'agent-child.ts'));
  const { taskQueue } = durable.session.meta;
  const child = spawn(
    process.execPath,
    [script, durable.address, taskQueue, await workflowBundle()],
    { stdio: ['ignore', 'pipe', 'inherit'], env: environmentOf(durable) },
  );
  const left = once(child, 'exit').then(() => {
    throw new Error('The agent process left before it polled.');
  });
  await Promise.race([once(child.stdout, 'data'), left]);
  left.catch(() => undefined);
  return child;
}
