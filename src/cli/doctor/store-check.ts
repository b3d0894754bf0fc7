import type { Secret } from '../../config';
import { createPostgresStore } from '../../transcript/postgres/postgres-store';
import { fine, wrong, type Check } from './check';

/** Connects, brings the schema up to date, and finds out whether anything can be written. */
export function storeCheck(url: Secret, home: string): Check {
  return {
    name: 'Store',
    run: async () => {
      const store = createPostgresStore({ url: url.reveal(), home });
      try {
        const { version, durable } = await store.describe();
        const sessions = (await store.listSessions()).length;
        const detail = `${store.place}, ${version}, ${sessions} sessions`;
        return durable
          ? fine(detail)
          : wrong(`${detail}; its server has fsync off`, 'Set fsync = on in postgresql.conf.');
      } finally {
        await store.close();
      }
    },
  };
}
