import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { CliSearch } from '../../src/server/find-cli';
import { readServerRecord } from '../../src/server/server-record';

/** Address of the Temporal server that all integration tests of this run share, `127.0.0.1:<port>`.
 *  The first test file that asks starts it (about 2 s; once per machine also a download); the end of the run stops it.
 *  EVERLOOP_TEST_TEMPORAL names a server to use instead.
 */
export function temporalAddress(): string {
  const given = process.env['EVERLOOP_TEST_TEMPORAL'];
  if (given) return given;

  const home = process.env['EVERLOOP_TEST_SERVER_HOME'];
  if (!home) throw new Error('No EVERLOOP_TEST_SERVER_HOME: jest ran without its globalSetup.');
  const known = join(home, 'address');
  if (existsSync(known)) return readFileSync(known, 'utf8');
  return execFileSync(process.execPath, startServerScript(home), { encoding: 'utf8' }).trim();
}

/** Its UI; undefined: EVERLOOP_TEST_TEMPORAL names the server, and nobody knows where its UI is. */
export function temporalUiUrl(): string | undefined {
  temporalAddress();
  const home = process.env['EVERLOOP_TEST_SERVER_HOME'];
  if (process.env['EVERLOOP_TEST_TEMPORAL'] || !home) return undefined;
  return readServerRecord(home)?.uiUrl;
}

/** Arguments for node: a process of its own that ensures the server of `home` and prints its address. */
export function startServerScript(home: string): string[] {
  return ['--require', require.resolve('tsx/cjs'), join(__dirname, 'start-server.ts'), home];
}

/** Finds the binary as the product does; the download is kept in the user's own cache. */
export function cliSearch(): CliSearch {
  const home = process.env['EVERLOOP_HOME'] ?? join(homedir(), '.everloop');
  return {
    configured: process.env['EVERLOOP_TEMPORAL_CLI'] ?? null,
    env: process.env,
    cacheFolder: join(home, 'cache', 'temporal'),
  };
}
