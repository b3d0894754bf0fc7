import { randomBytes } from 'node:crypto';
import type { Config, Secret } from '../config';
import { openStore } from '../open-store';
import { Bodies } from '../transcript/postgres/bodies';
import { Database } from '../transcript/postgres/database';
import { parseStoreUrl } from '../transcript/postgres/store-url';
import type { TranscriptStore } from '../transcript/store';

/** Where the conversations of one run lie, and of no other. */
export interface TrialPlace {
  readonly store: TranscriptStore;
  /** Takes them away, once nobody works with them any more. */
  remove(): Promise<void>;
}

/** URL of a store in the same database as `url`, in a schema that no other run has. Fails: StoreError. */
export function storeOfTrial(url: Secret): string {
  const { place } = parseStoreUrl(url.reveal());
  const schema = `crash_${randomBytes(6).toString('hex')}`;
  const own = new URL(url.reveal());
  own.searchParams.set('schema', schema);
  own.searchParams.set('place', `${place}/${schema}`);
  return own.href;
}

/** `config`: of the run's Workers. Files lie in its home, and go with it. */
export function openTrialPlace(config: Config): TrialPlace {
  const store = openStore(config);
  return {
    store,
    async remove() {
      await store.close();
      if (config.store !== null) await dropSchema(config.store.reveal());
    },
  };
}

/** Of a run that has made none it is made here first. */
async function dropSchema(url: string): Promise<void> {
  const database = new Database(parseStoreUrl(url), new Bodies(null));
  try {
    await database.query(
      'remove the schema of a run in',
      `DROP SCHEMA ${database.schema} CASCADE`,
      [],
    );
  } finally {
    await database.close();
  }
}
