import { join } from 'node:path';
import type { Config } from './config';
import { createFileStore, type FileStoreOptions } from './transcript/files/file-store';
import { createPostgresStore } from './transcript/postgres/postgres-store';
import type { TranscriptStore } from './transcript/store';

/** The store that the configuration names: Postgres, or files of the home folder.
 *  Fails: StoreError when its URL cannot be used, or its folders cannot be made. */
export function openStore(
  { store, home, configDir }: Pick<Config, 'store' | 'home' | 'configDir'>,
  adopt?: FileStoreOptions['adopt'],
): TranscriptStore {
  if (store !== null) return createPostgresStore({ url: store.reveal(), home });
  return createFileStore({
    home,
    projectsFolder: join(configDir, 'projects'),
    ...(adopt && { adopt }),
  });
}
