import { rm } from 'node:fs/promises';

import { stopServer } from '../../src/server/local-server';

export default async function globalTeardown(): Promise<void> {
  const home = process.env['EVERLOOP_TEST_SERVER_HOME'];
  if (!home) return;
  await stopServer(home);
  await rm(home, { recursive: true, force: true });
}
