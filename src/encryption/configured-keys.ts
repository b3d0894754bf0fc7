import { readFileSync, statSync } from 'node:fs';
import { ConfigError, type Config } from '../config';
import { parseKeys } from './encryption-key';
import { KeyRing } from './key-ring';

/** Group may read: secrets that are mounted for a user who is not root belong to a group of his. */
const OPEN_TO_OTHERS = 0o027;

export type KeyConfig = Pick<Config, 'encryptionKeys' | 'encryptionKeyFile'>;

/** The keys of this process; null: encryption is off. Fails: ConfigError that names the source and the cure. */
export function openKeyRing({ encryptionKeys, encryptionKeyFile }: KeyConfig): KeyRing | null {
  if (encryptionKeys !== null) {
    return new KeyRing(parseKeys(encryptionKeys.reveal(), 'EVERLOOP_ENCRYPTION_KEYS'));
  }
  if (encryptionKeyFile === null) return null;
  return new KeyRing(parseKeys(readKeyFile(encryptionKeyFile), encryptionKeyFile));
}

function readKeyFile(file: string): string {
  const name = 'EVERLOOP_ENCRYPTION_KEY_FILE';
  try {
    const mode = statSync(file).mode & 0o777;
    if ((mode & OPEN_TO_OTHERS) !== 0) {
      throw new ConfigError(
        `${name} is ${file}, which others may read or change (mode ${mode.toString(8)}). Run: chmod 600 ${file}`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `${name} is ${file}, which cannot be read (${why}). Correct it or unset it.`,
    );
  }
}
