import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { EncryptionKey } from './encryption-key';
import { EncryptionError } from './encryption-error';

/** Encrypted bytes and the key that they need. Shape: nonce (12 bytes), ciphertext, tag (16 bytes). */
export interface Sealed {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys of a process: the first encrypts, all decrypt. */
export class KeyRing {
  private readonly byId: ReadonlyMap<string, Buffer>;
  private readonly newest: EncryptionKey;
  private readonly naming: ReadonlyMap<string, Buffer>;

  /** Fails: Error when there is no key. */
  constructor(keys: readonly EncryptionKey[]) {
    const [newest] = keys;
    if (newest === undefined) throw new Error('A key ring needs a key.');
    this.newest = newest;
    this.byId = new Map(keys.map(({ id, bytes }) => [id, bytes]));
    this.naming = new Map(keys.map(({ id, bytes }) => [id, namingKey(bytes)]));
  }

  /** The newest first. */
  get keyIds(): readonly string[] {
    return [...this.byId.keys()];
  }

  get newestId(): string {
    return this.newest.id;
  }

  /** `belongsTo`: where it is kept; it can be opened as nothing else. A nonce is random, so a key is good for 2^32
   *  messages (NIST SP 800-38D, 8.3). */
  seal(clear: Uint8Array, belongsTo: string): Sealed {
    const { id, bytes } = this.newest;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, bytes, nonce);
    cipher.setAAD(bound(id, belongsTo));
    const sealed = [nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()];
    return { keyId: id, bytes: Buffer.concat(sealed) };
  }

  /** Fails: EncryptionError. */
  open({ keyId, bytes }: Sealed, belongsTo: string): Buffer {
    const key = this.byId.get(keyId);
    if (key === undefined) throw missingKey(keyId, this.keyIds);
    const tagAt = bytes.length - TAG_BYTES;
    if (tagAt < NONCE_BYTES) throw damaged(keyId);
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(bound(keyId, belongsTo));
    decipher.setAuthTag(bytes.subarray(tagAt));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
    } catch (error) {
      throw damaged(keyId, error);
    }
  }

  /** A name for a content that tells nothing of it to those without the key. Under the newest key, then under each of
   *  the others. */
  namesOf(content: string): readonly { readonly keyId: string; readonly name: string }[] {
    return [...this.naming].map(([keyId, key]) => ({
      keyId,
      name: createHmac('sha256', key).update(content).digest('hex'),
    }));
  }
}

/** `known`: ids of the keys that there are; none: encryption is off. */
export function missingKey(keyId: string, known: readonly string[]): EncryptionError {
  const has = known.length === 0 ? 'has no keys' : `has ${known.join(', ')}`;
  return new EncryptionError(
    'key_missing',
    `This was encrypted with the key "${keyId}", and this process ${has}. Add that key to EVERLOOP_ENCRYPTION_KEYS or the file of EVERLOOP_ENCRYPTION_KEY_FILE, and start the process again.`,
  );
}

function damaged(keyId: string, cause?: unknown): EncryptionError {
  return new EncryptionError(
    'damaged',
    `What was encrypted with the key "${keyId}" cannot be read: it was changed or moved, or another key has that id here. Compare the keys of all processes; else restore it from a backup.`,
    { cause },
  );
}

const bound = (keyId: string, belongsTo: string): Buffer =>
  Buffer.from(`everloop 1\0${keyId}\0${belongsTo}`);

/** One key for one purpose. */
const namingKey = (bytes: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', bytes, '', 'everloop names of contents', 32));
