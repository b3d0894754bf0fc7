import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  type NativeConnectionOptions,
} from '@temporalio/worker';
import { prometheusAt } from '../metrics/prometheus';

export interface SdkConnection {
  readonly connection: NativeConnection;
  readonly client: Client;
}

export interface SdkAddress {
  readonly options: NativeConnectionOptions;
  readonly namespace: string;
}

/** What the SDK tells of itself in this process. */
export interface SdkTelling {
  /** Where Prometheus may ask. Default: nowhere. */
  readonly metricsAddress?: string | null;
  /** Warnings of the SDK's native part go to stderr, for a process whose stderr is a log. Default: no, for people can
   *  do nothing about them, and they would break what a terminal shows. */
  readonly hasNativeWarnings?: boolean;
}

/** The server that `TEMPORAL_*` or `temporal.toml` names. */
export function configuredAddress(): SdkAddress {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return { options: connectionOptions, namespace: namespace ?? 'default' };
}

export interface ConnectOptions extends SdkTelling {
  /** Of the client, and of Workers that are started with it. Default: the SDK's own. */
  readonly dataConverter?: DataConverter;
}

/** In a module of its own because the SDK takes a third of a second to load. What it tells is settled by the first
 *  call of a process. Fails: Error that names the address and the cure. */
export async function connectSdk(
  { options, namespace }: SdkAddress,
  { dataConverter, ...telling }: ConnectOptions = {},
): Promise<SdkConnection> {
  installRuntime(telling);
  try {
    const connection = await NativeConnection.connect(options);
    const converting = dataConverter && { dataConverter };
    return { connection, client: new Client({ connection, namespace, ...converting }) };
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${options.address ?? 'the default address'}. Check TEMPORAL_ADDRESS, or unset it to use a local server.`,
      { cause: error },
    );
  }
}

let isInstalled = false;

/** Once per process, before anything else of the SDK runs: warnings only, on stderr, and Ctrl-C is ours. */
function installRuntime({ metricsAddress = null, hasNativeWarnings = false }: SdkTelling): void {
  if (isInstalled) return;
  const filter = hasNativeWarnings ? { core: 'WARN' as const, other: 'ERROR' as const } : 'off';
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN'),
      shutdownSignals: [],
      telemetryOptions: {
        logging: { console: {}, filter },
        ...(metricsAddress !== null && { metrics: prometheusAt(metricsAddress) }),
      },
    });
    isInstalled = true;
  } catch (error) {
    if (metricsAddress === null) throw error;
    throw new Error(
      `Metrics cannot be served at ${metricsAddress}: ${String(error)}. Choose another address: --metrics, or EVERLOOP_METRICS.`,
      { cause: error },
    );
  }
}
