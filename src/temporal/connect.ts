import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Config } from '../config';
import { ensureServer } from '../server/local-server';
import type { CliSearch } from '../server/find-cli';

/** One connection for Worker and client: a second one would cost every command a handshake. */
export interface TemporalConnection {
  readonly connection: NativeConnection;
  readonly client: Client;
  close(): Promise<void>;
}

/** Connects to the configured server (`TEMPORAL_*`, `temporal.toml`), else to the local one of the home folder,
 *  which is started if it does not run. Fails: ServerError, or an Error that names the address and the cure. */
export async function connectTemporal(config: Config, cli: CliSearch): Promise<TemporalConnection> {
  installRuntime();
  const configured = config.hasTemporalAddress ? loadClientConnectConfig() : null;
  const namespace = configured?.namespace ?? 'default';
  const options = configured?.connectionOptions ?? {
    address: (await ensureServer({ home: config.home, cli })).address,
  };
  try {
    const connection = await NativeConnection.connect(options);
    const client = new Client({ connection, namespace });
    return { connection, client, close: () => connection.close() };
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${options.address ?? 'the default address'}. Check TEMPORAL_ADDRESS, or unset it to use a local server.`,
      { cause: error },
    );
  }
}

let isInstalled = false;

/** Once per process, before anything else of the SDK runs: warnings only, on stderr, and Ctrl-C is ours. */
function installRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
}
