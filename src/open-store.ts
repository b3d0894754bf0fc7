import { join } from 'node:path';
import type { Config } from './config';
import { openKeyRing, type KeyConfig } from './encryption/configured-keys';
import { createFileStore, type FileStoreOptions } from './transcript/files/file-store';
import { createPostgresStore } from './transcript/postgres/postgres-store';
import type { TranscriptStore } from './transcript/store';

/** The store that the configuration names: Postgres, or files of the home folder.
 *  With keys, what lies in Postgres is encrypted; files are not (docs/encryption.md).
 *  Fails: StoreError when its URL cannot be used, or its folders cannot be made; ConfigError of the keys. */
export function openStore(
  { store, home, configDir, ...keys }: Pick<Config, 'store' | 'home' | 'configDir'> & KeyConfig,
  adopt?: FileStoreOptions['adopt'],
): TranscriptStore {
  const ring = openKeyRing(keys);
  if (store !== null) return createPostgresStore({ url: store.reveal(), home, ring });
  return createFileStore({
    home,
    projectsFolder: join(configDir, 'projects'),
    ...(adopt && { adopt }),
  });
}
