import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Config } from '../config';
import type { CliSearch } from '../server/find-cli';
import { ensureServer, findServer } from '../server/local-server';

/** One connection for Worker and client: a second one would cost every command a handshake. */
export interface TemporalConnection {
  readonly connection: NativeConnection;
  readonly client: Client;
  close(): Promise<void>;
}

/** How often a process that uses the local server looks whether it is still there. */
const LOOK_MS = 1_000;

/** Connects to the configured server (`TEMPORAL_*`, `temporal.toml`), else to the local one of the home folder,
 *  which is started if it does not run, and started again if it dies while we use it: it comes back on the same
 *  port with its database. Fails: ServerError, or an Error that names the address and the cure. */
export async function connectTemporal(config: Config, cli: CliSearch): Promise<TemporalConnection> {
  installRuntime();
  const configured = config.hasTemporalAddress ? loadClientConnectConfig() : null;
  const namespace = configured?.namespace ?? 'default';
  const local = { home: config.home, cli };
  const options = configured?.connectionOptions ?? { address: (await ensureServer(local)).address };
  try {
    const connection = await NativeConnection.connect(options);
    const client = new Client({ connection, namespace });
    const release = configured === null ? keepServer(local) : () => undefined;
    return {
      connection,
      client,
      close() {
        release();
        return connection.close();
      },
    };
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${options.address ?? 'the default address'}. Check TEMPORAL_ADDRESS, or unset it to use a local server.`,
      { cause: error },
    );
  }
}

/** Returns what ends the watch. */
function keepServer(local: { readonly home: string; readonly cli: CliSearch }): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    if ((await findServer(local.home)) === undefined) await ensureServer(local);
    isLooking = false;
  };
  // A start that fails is tried again at the next look; the Worker keeps trying to connect meanwhile.
  const timer = setInterval(() => {
    look().catch(() => (isLooking = false));
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

let isInstalled = false;

/** Once per process, before anything else of the SDK runs: warnings only, on stderr, and Ctrl-C is ours. */
function installRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
}
