import { openKeyRing } from '../../encryption/configured-keys';
import { PostgresStore } from '../../transcript/postgres/postgres-store';
import type { SessionHost } from '../session-host';
import type { Surroundings } from '../surroundings';
import type { KeysWorld } from './keys';
import { keysInTemporal, rewriteSchedules } from './keys-in-temporal';

/** Connects, lets the command act, and leaves, whatever happens. */
export async function withKeys(
  host: SessionHost,
  output: Pick<Surroundings, 'stdout' | 'stderr'>,
  act: (world: KeysWorld) => Promise<number>,
): Promise<number> {
  const { config, store } = host;
  const ring = openKeyRing(config);
  const connected = await host.connect();
  const { client } = connected;
  try {
    return await act({
      ...output,
      ring,
      store: store instanceof PostgresStore ? store : null,
      temporal: {
        keyUse: () => keysInTemporal(client, store.place),
        rewriteSchedules: () => rewriteSchedules(client, store.place),
      },
    });
  } finally {
    await connected.close();
    await store.close();
  }
}
