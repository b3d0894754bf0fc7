import type { Config } from '../../config';
import { openKeyRing } from '../../encryption/configured-keys';
import { fine, type Check } from './check';

/** Names keys by their ids alone. */
export function encryptionCheck(config: Config): Check {
  return {
    name: 'Encryption',
    run: async () => {
      const ring = openKeyRing(config);
      if (ring === null) return fine('off');
      const [newest = '', ...others] = ring.keyIds;
      const older = others.length === 0 ? '' : `, decrypts ${others.join(', ')} as well`;
      const what =
        config.store === null
          ? 'Temporal payloads; files are in clear'
          : 'Temporal payloads and Postgres';
      return fine(`${what}; key ${newest}${older}`);
    },
  };
}
