import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensureServer } from '../../src/server/local-server';
import { ATTRIBUTE_TYPES } from '../../src/visibility/search-attributes';
import { cliSearch } from './temporal';

/** A process that starts the server of a home folder, or finds it, prints its address and leaves. */
async function main(home: string): Promise<void> {
  const { address } = await ensureServer({
    home,
    cli: cliSearch(),
    ports: { frontend: 0, ui: 0 },
    searchAttributes: ATTRIBUTE_TYPES,
  });

  // For test files that ask later: reading a file is quicker than a process.
  const draft = join(home, `address.${process.pid}`);
  writeFileSync(draft, address);
  renameSync(draft, join(home, 'address'));
  process.stdout.write(`${address}\n`);
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
