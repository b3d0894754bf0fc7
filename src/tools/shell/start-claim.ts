import { setTimeout as delay } from 'node:timers/promises';
import { disk } from '../../disk/disk';
import { errorCode } from '../error-code';
import { OutcomeUnknown } from '../outcome-unknown';
import { parseIdentity } from './process-identity';
import type { ProcessIdentity } from './process-identity';
import type { CommandFiles } from './wrapper-script';

const ABANDONED = 'abandoned\n';
const CLAIM_WAIT_MS = 2_000;

export async function isAbandoned(files: CommandFiles): Promise<boolean> {
  return (await readClaim(files)) === ABANDONED;
}

/** Claims a start so that its wrapper gives up; false if the claim was taken before.
 *  Fails: OutcomeUnknown when the disk lets it neither be made nor be read. */
export async function abandon(files: CommandFiles): Promise<boolean> {
  try {
    return await createFile(files.process, ABANDONED);
  } catch (error) {
    if ((await readClaim(files)) !== '') return false;
    throw new OutcomeUnknown(
      `Whether the command was started cannot be told: ${files.process} cannot be written (${errorCode(error)}).`,
    );
  }
}

/** False if it exists already. */
export async function createFile(file: string, content: string): Promise<boolean> {
  try {
    await disk.writeFile(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Who holds the claim. Fails: OutcomeUnknown when a wrapper was lost between making the file and its name. */
export async function requireClaim(files: CommandFiles): Promise<ProcessIdentity | 'abandoned'> {
  const deadline = Date.now() + CLAIM_WAIT_MS;
  while (Date.now() < deadline) {
    if (await isAbandoned(files)) return 'abandoned';
    const identity = await readIdentity(files);
    if (identity !== null) return identity;
    await delay(10);
  }
  throw new OutcomeUnknown(
    `The command was being started when its Worker was lost. It may or may not have run. ` +
      `Look at what it should have changed before you run it again.`,
  );
}

/** null: no wrapper has named itself. */
export async function readIdentity(files: CommandFiles): Promise<ProcessIdentity | null> {
  const claim = await readClaim(files);
  return claim.endsWith('\n') && claim !== ABANDONED ? parseIdentity(claim) : null;
}

async function readClaim(files: CommandFiles): Promise<string> {
  return disk.readFile(files.process, 'utf8').catch(() => '');
}
