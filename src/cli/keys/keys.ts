import type { KeyRing } from '../../encryption/key-ring';
import type { KeyUse } from '../../transcript/postgres/key-use';
import type { Resealed } from '../../transcript/postgres/reseal';
import { CliError } from '../cli-error';
import type { OutputStream } from '../output/output-stream';

export interface KeysWorld {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** null: there are no keys. */
  readonly ring: KeyRing | null;
  /** null: conversations are files, which are not encrypted. */
  readonly store: {
    readonly place: string;
    keyUse(): Promise<readonly KeyUse[]>;
    reseal(onRows: (rows: number) => void): Promise<Resealed>;
  } | null;
  readonly temporal: {
    /** Open Workflows and schedules by the key that they need. */
    keyUse(): Promise<ReadonlyMap<string, number>>;
    /** Number of schedules. */
    rewriteSchedules(): Promise<number>;
  };
}

/** A key, and what needs it. */
interface ListedKey {
  /** null: what is in clear. */
  readonly keyId: string | null;
  /** `missing`: this process does not have it. */
  readonly state: 'encrypts' | 'decrypts' | 'missing' | 'clear';
  readonly storeRows: number;
  readonly openWorkflows: number;
}

/** Which keys are needed for what. A key that nothing needs can be dropped, once the server keeps no closed Workflow
 *  that people want to read. */
export async function listKeys(json: boolean, world: KeysWorld): Promise<number> {
  const keys = await usedKeys(world);
  const lines = json ? keys.map((key) => JSON.stringify(key)) : tableOf(keys);
  if (lines.length > 0) await world.stdout.write(`${lines.join('\n')}\n`);
  if (!json && world.store === null) {
    await world.stderr.write(
      'Conversations are files here, which everloop does not encrypt: docs/encryption.md.\n',
    );
  }
  return 0;
}

/** Exit code 1: some rows could not be read. Fails: CliError where nothing can be rotated. */
export async function rotateKeys(world: KeysWorld): Promise<number> {
  const { ring, store, stdout, stderr } = world;
  if (ring === null) {
    throw new CliError(
      'There is no key to encrypt with. Make one (everloop keys new), and set EVERLOOP_ENCRYPTION_KEYS or EVERLOOP_ENCRYPTION_KEY_FILE.',
    );
  }
  let unreadable: readonly string[] = [];
  if (store === null) {
    await stderr.write('Conversations are files here, which everloop does not encrypt.\n');
  } else {
    const resealed = await store.reseal(() => undefined);
    unreadable = resealed.unreadable;
    await stdout.write(`${resealed.rows} rows of ${store.place} encrypted with ${ring.newestId}\n`);
  }
  const schedules = await world.temporal.rewriteSchedules();
  if (schedules > 0) await stdout.write(`${schedules} schedules encrypted with ${ring.newestId}\n`);
  for (const reason of unreadable) await stderr.write(`${reason}\n`);
  await sayWhatIsLeft(await usedKeys(world), world);
  return unreadable.length === 0 ? 0 : 1;
}

async function sayWhatIsLeft(keys: readonly ListedKey[], { stdout }: KeysWorld): Promise<void> {
  for (const { keyId, state, storeRows, openWorkflows } of keys) {
    if (keyId === null || state === 'encrypts') continue;
    const uses = [
      ...(storeRows > 0 ? [`${storeRows} rows`] : []),
      ...(openWorkflows > 0 ? [`${openWorkflows} open Workflows`] : []),
    ];
    await stdout.write(
      uses.length > 0
        ? `${keyId} is still needed by ${uses.join(' and ')}\n`
        : `${keyId} can be dropped when no closed Workflow that it encrypted needs to be read\n`,
    );
  }
}

async function usedKeys({ ring, store, temporal }: KeysWorld): Promise<readonly ListedKey[]> {
  const [inStore, inTemporal] = await Promise.all([store?.keyUse() ?? [], temporal.keyUse()]);
  const known = ring?.keyIds ?? [];
  const found = [...inStore.map(({ keyId }) => keyId), ...inTemporal.keys()];
  return [...new Set([...known, ...found])].map((keyId) => ({
    keyId,
    state: stateOf(keyId, known),
    storeRows: inStore.find((use) => use.keyId === keyId)?.rows ?? 0,
    openWorkflows: keyId === null ? 0 : (inTemporal.get(keyId) ?? 0),
  }));
}

function stateOf(keyId: string | null, known: readonly string[]): ListedKey['state'] {
  if (keyId === null) return 'clear';
  if (keyId === known[0]) return 'encrypts';
  return known.includes(keyId) ? 'decrypts' : 'missing';
}

function tableOf(keys: readonly ListedKey[]): readonly string[] {
  if (keys.length === 0) return ['There are no keys. Make one: everloop keys new'];
  const line = (id: string, state: string, rows: string, workflows: string): string =>
    `${id.padEnd(24)}  ${state.padEnd(8)}  ${rows.padStart(10)}  ${workflows.padStart(14)}`;
  return [
    line('KEY', 'STATE', 'STORE ROWS', 'OPEN WORKFLOWS'),
    ...keys.map(({ keyId, state, storeRows, openWorkflows }) =>
      line(keyId ?? '(in clear)', state, String(storeRows), String(openWorkflows)),
    ),
  ];
}
