import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopServer } from '../../src/server/local-server';
import { processIdentity } from '../../src/server/process-identity';

const PREFIX = 'everloop-test-server-';

/** Gives the run a home for its Temporal server. The server itself starts when the first test asks for it (temporal.ts). */
export default async function globalSetup(): Promise<void> {
  await clearKilledRuns();
  process.env['EVERLOOP_TEST_SERVER_HOME'] = await mkdtemp(
    join(tmpdir(), `${PREFIX}${process.pid}-`),
  );
}

/** A run that was killed had no teardown; its server would run for ever. */
async function clearKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const pid = Number.parseInt(name.slice(PREFIX.length), 10);
    if (await processIdentity(pid)) continue;
    await stopServer(join(tmpdir(), name));
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
