import { randomBytes } from 'node:crypto';
import { ConfigError } from '../config';

/** A key of AES-256-GCM and the name that everything encrypted with it carries. */
export interface EncryptionKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export const KEY_BYTES = 32;

/** Short: the server takes 400 bytes for an encrypted summary, and the id is among them. */
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$/;
const FORM = 'id:key, the key being 32 bytes in base64; everloop keys new prints one';

/** Keys separated by commas or line ends; in a file, lines that begin with # do not count. `from` names the source in
 *  messages, which never hold a key. Fails: ConfigError. */
export function parseKeys(text: string, from: string): readonly EncryptionKey[] {
  const entries = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const keys = entries.map((entry, index) => parseKey(entry, `Key ${index + 1} of ${from}`));
  if (keys.length === 0) throw new ConfigError(`${from} has no key. Write ${FORM}.`);
  const doubled = keys.find(({ id }, index) => keys.findIndex((one) => one.id === id) < index);
  if (doubled !== undefined) {
    throw new ConfigError(`${from} has two keys "${doubled.id}". Give each an id of its own.`);
  }
  return keys;
}

/** A line for the configuration. Fails: ConfigError when the id is none. */
export function newKeyLine(id: string): string {
  return `${requireKeyId(id, 'The id')}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function parseKey(entry: string, which: string): EncryptionKey {
  const colon = entry.indexOf(':');
  // What has no colon may be a key.
  if (colon < 0) throw new ConfigError(`${which} has no id. Write ${FORM}.`);
  const id = requireKeyId(entry.slice(0, colon), `The id of ${which.toLowerCase()}`);
  const encoded = entry.slice(colon + 1).trim();
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(encoded)) {
    throw new ConfigError(`${which} ("${id}") is not base64. Write ${FORM}.`);
  }
  if (bytes.length !== KEY_BYTES) {
    throw new ConfigError(
      `${which} ("${id}") has ${bytes.length} bytes, but AES-256 needs ${KEY_BYTES}. Write ${FORM}.`,
    );
  }
  return { id, bytes };
}

function requireKeyId(id: string, which: string): string {
  if (KEY_ID.test(id)) return id;
  throw new ConfigError(
    `${which} cannot be used: it has ${id.length} characters, and may have 1 to 24 of A-Z, a-z, 0-9, dot, _ and -, beginning with a letter or digit. Choose another, as 2026-11.`,
  );
}
