import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Config } from '../config';
import type { CliSearch } from '../server/find-cli';
import { ensureServer, stopServer } from '../server/local-server';
import { configuredAddress, connectSdk } from '../temporal/sdk-connection';

/** The Temporal server of a crash test. */
export interface Rig {
  readonly client: Client;
  /** What Workers need to find it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

/** Takes the configured server, else starts one that is gone afterwards: a thousand crashed sessions are nothing to
 *  keep beside real ones. */
export async function startRig(
  config: Config,
  cli: CliSearch,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Rig> {
  if (config.hasTemporalAddress) {
    const { client, connection } = await connectSdk(configuredAddress());
    const names = Object.keys(environment).filter((name) => name.startsWith('TEMPORAL_'));
    return {
      client,
      environment: Object.fromEntries(names.map((name) => [name, environment[name]])),
      close: () => connection.close(),
    };
  }
  const home = mkdtempSync(join(tmpdir(), 'everloop-crash-server-'));
  const { address } = await ensureServer({ home, cli, ports: { frontend: 0, ui: 0 } });
  const { client, connection } = await connectSdk({ options: { address }, namespace: 'default' });
  return {
    client,
    environment: { TEMPORAL_ADDRESS: address, TEMPORAL_CONFIG_FILE: join(home, 'none.toml') },
    async close() {
      await connection.close();
      await stopServer(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
