import { missingKey, type KeyRing } from '../../encryption/key-ring';
import { EncryptionError } from '../../encryption/encryption-error';
import { StoreError } from '../store-error';

/** Begins what is encrypted; JSON does not begin so. */
export const SEALED = 'enc:';

/** Names of what a body belongs to, down to its row. Changing one makes what is stored unreadable. */
export type BodyPlace = readonly [table: string, session: string, ...row: (string | number)[]];

/** Contents of rows as they lie in the database: encrypted with the newest key, or as they are. What was written
 *  before there were keys stays readable.
 *  Shape: `enc:<key id>:<base64>`. Fails: StoreError `io` when a key is missing, `damaged`. */
export class Bodies {
  constructor(readonly ring: KeyRing | null) {}

  seal(text: string, place: BodyPlace): string {
    if (this.ring === null) return text;
    const { keyId, bytes } = this.ring.seal(Buffer.from(text), nameOf(place));
    return `${sealedWith(keyId)}${Buffer.from(bytes).toString('base64')}`;
  }

  open(stored: string, place: BodyPlace): string {
    const keyId = sealedBy(stored);
    if (keyId === undefined) return stored;
    const bytes = Buffer.from(stored.slice(sealedWith(keyId).length), 'base64');
    return this.decrypt(keyId, bytes, place).toString('utf8');
  }

  /** What a content is found by, and how it is kept under that name: the name it gets first, then those that it may
   *  have from before. A digest in clear would tell whoever guesses the content that he is right. */
  namesOf(digest: string): readonly [string, ...string[]] {
    const names = this.ring?.namesOf(digest) ?? [];
    const [first = digest, ...others] = names.map(
      ({ keyId, name }) => `${sealedWith(keyId)}${name}`,
    );
    return first === digest ? [digest] : [first, ...others, digest];
  }

  /** Of a content that goes by the first of its names. */
  sealBytes(bytes: Buffer, place: BodyPlace): Uint8Array {
    return this.ring === null ? bytes : this.ring.seal(bytes, nameOf(place)).bytes;
  }

  openBytes(name: string, bytes: Buffer, place: BodyPlace): Buffer {
    const keyId = sealedBy(name);
    return keyId === undefined ? bytes : this.decrypt(keyId, bytes, place);
  }

  private decrypt(keyId: string, bytes: Uint8Array, place: BodyPlace): Buffer {
    try {
      if (this.ring === null) throw missingKey(keyId, []);
      return this.ring.open({ keyId, bytes }, nameOf(place));
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      const [table, session, ...row] = place;
      const where = `Session ${session}, ${[table, ...row].join(' ')}`;
      const code = error.code === 'damaged' ? 'damaged' : 'io';
      throw new StoreError(code, `${where}: ${error.message}`, { cause: error });
    }
  }
}

/** What begins everything that was encrypted with a key. */
export const sealedWith = (keyId: string): string => `${SEALED}${keyId}:`;

/** Id of the key that a body, or the content of a name, needs; undefined: it is in clear. */
function sealedBy(stored: string): string | undefined {
  return stored.startsWith(SEALED) ? stored.slice(SEALED.length).split(':', 1)[0] : undefined;
}

const nameOf = (place: BodyPlace): string => `row ${JSON.stringify(place)}`;
