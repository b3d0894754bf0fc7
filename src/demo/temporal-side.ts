import { join } from 'node:path';
import type { Config } from '../config';
import { ensureServer, findServer } from '../server/local-server';
import { connectTemporal, type TemporalConnection } from '../temporal/connect';

/** The Temporal server of the demo: the configured one, or the user's local one, which stays. */
export interface TemporalSide extends TemporalConnection {
  /** For the story. */
  readonly description: string;
  /** null: a configured server does not say where its UI is. */
  readonly uiUrl: string | null;
  /** What Workers in another home need to find it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** `noFile`: a path at which there is nothing. */
export async function findTemporal(config: Config, noFile: string): Promise<TemporalSide> {
  const cli = {
    configured: config.temporalCli,
    env: process.env,
    cacheFolder: join(config.home, 'cache', 'temporal'),
    onProgress: (line: string) => void process.stderr.write(`${line}\n`),
  };
  if (config.hasTemporalAddress) {
    const connected = await connectTemporal(config, cli);
    const description = 'the server that TEMPORAL_ADDRESS names';
    return { ...connected, description, uiUrl: null, environment: {} };
  }
  const found = await findServer(config.home);
  const server = found ?? (await ensureServer({ home: config.home, cli }));
  return {
    ...(await connectTemporal(config, cli)),
    description: `local server at ${server.address}, ${found ? 'found' : 'started now'}`,
    uiUrl: server.uiUrl,
    environment: { ...withoutTemporal(process.env, noFile), TEMPORAL_ADDRESS: server.address },
  };
}

/** Profiles and keys of other servers are not meant for the local one. */
function withoutTemporal(
  env: NodeJS.ProcessEnv,
  noFile: string,
): Readonly<Record<string, string | undefined>> {
  const names = Object.keys(env).filter((name) => name.startsWith('TEMPORAL_'));
  const unset = Object.fromEntries(names.map((name) => [name, undefined]));
  return { ...unset, TEMPORAL_CONFIG_FILE: noFile };
}
