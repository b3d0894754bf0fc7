import type { DataConverter } from '@temporalio/common';
import type { Config } from '../config';
import { openKeyRing } from '../encryption/configured-keys';
import type { CliSearch } from '../server/find-cli';
import { ensureServer, findServer } from '../server/local-server';
import { ATTRIBUTE_TYPES } from '../visibility/search-attributes';
import type { SdkAddress, SdkConnection, SdkTelling } from './sdk-connection';

/** One connection for Worker and client: a second one would cost every command a handshake. */
export interface TemporalConnection extends SdkConnection {
  close(): Promise<void>;
}

/** How often a process that uses the local server looks whether it is still there. */
const LOOK_MS = 1_000;

/** Connects to the configured server (`TEMPORAL_*`, `temporal.toml`), else to the local one of the home folder,
 *  which is started if it does not run, and started again if it dies while we use it: it comes back on the same
 *  port with its database. With keys, what passes it is encrypted.
 *  Fails: ServerError, ConfigError of the keys, or an Error that names the address and the cure. */
export async function connectTemporal(
  config: Config,
  cli: CliSearch,
  telling: SdkTelling = {},
): Promise<TemporalConnection> {
  const options = { ...telling, dataConverter: await converterOf(config) };
  if (config.hasTemporalAddress) {
    const { configuredAddress, connectSdk } = await import('./sdk-connection.js');
    const connected = await connectSdk(configuredAddress(), options);
    return { ...connected, close: () => connected.connection.close() };
  }
  const local = { home: config.home, cli };
  const [{ connectSdk }, address] = await Promise.all([
    import('./sdk-connection.js'),
    localAddress(local),
  ]);
  const connected = await connectSdk(address, options);
  const release = keepServer(local);
  return {
    ...connected,
    close() {
      release();
      return connected.connection.close();
    },
  };
}

async function converterOf(config: Config): Promise<DataConverter> {
  const ring = openKeyRing(config);
  const { encryptedConverter } = await import('../encryption/data-converter.js');
  return encryptedConverter(ring);
}

interface LocalServer {
  readonly home: string;
  readonly cli: CliSearch;
}

async function localAddress(local: LocalServer): Promise<SdkAddress> {
  const { address } = await ensureServer({ ...local, searchAttributes: ATTRIBUTE_TYPES });
  return { options: { address }, namespace: 'default' };
}

/** Returns what ends the watch. */
function keepServer(local: LocalServer): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    if ((await findServer(local.home)) === undefined) await localAddress(local);
    isLooking = false;
  };
  // A start that fails is tried again at the next look; the Worker keeps trying to connect meanwhile.
  const timer = setInterval(() => {
    look().catch(() => (isLooking = false));
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
