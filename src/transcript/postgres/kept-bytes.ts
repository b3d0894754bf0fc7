import { createHash } from 'node:crypto';
import type { KeptFiles } from '../store';
import { StoreError } from '../store-error';
import type { BodyPlace } from './bodies';
import type { Database } from './database';

const PART_BYTES = 4 << 20;

/** Contents of files, in parts. A content counts when its parts make its digest, so nothing is written twice or
 *  has to be written at once. */
export class KeptBytes implements KeptFiles {
  /** Digests of what is there for sure. */
  private readonly lasting = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly sessionId: string,
  ) {}

  async put(bytes: Buffer): Promise<string> {
    const digest = digestOf(bytes);
    if (this.lasting.has(digest)) return digest;
    const { bodies } = this.database;
    const [name] = bodies.namesOf(digest);
    for (let part = 0; part === 0 || part * PART_BYTES < bytes.length; part += 1) {
      const content = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      await this.database.query(
        'keep a file of',
        `INSERT INTO ${this.database.schema}.kept (session, digest, part, bytes)
         VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [this.sessionId, name, part, bodies.sealBytes(content, this.placeOf(name, part))],
      );
    }
    this.lasting.add(digest);
    return digest;
  }

  /** Another process may have collected what was there. */
  forget(): void {
    this.lasting.clear();
  }

  async get(digest: string): Promise<Buffer | undefined> {
    for (const name of this.database.bodies.namesOf(digest)) {
      const bytes = await this.read(name).catch(ignoreDamage);
      if (bytes !== undefined && digestOf(bytes) === digest) return bytes;
    }
    return undefined;
  }

  /** Gives the content of a name the name that it would get today. Returns the number of parts that went. */
  async reseal(name: string): Promise<number> {
    const bytes = await this.read(name);
    if (bytes === undefined) return 0;
    const { schema, bodies } = this.database;
    // Half a file, of a process that has died or is at it.
    if (!bodies.namesOf(digestOf(bytes)).includes(name)) return 0;
    await this.put(bytes);
    const gone = await this.database.query(
      'keep a file of',
      `DELETE FROM ${schema}.kept WHERE session = $1 AND digest = $2 RETURNING 1`,
      [this.sessionId, name],
    );
    return gone.length;
  }

  /** undefined: nothing goes by that name. */
  private async read(name: string): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const [row] = await this.database.query<{ bytes: Buffer }>(
        'read a kept file of',
        `SELECT bytes FROM ${this.database.schema}.kept
         WHERE session = $1 AND digest = $2 AND part = $3`,
        [this.sessionId, name, parts.length],
      );
      if (row === undefined) break;
      const place = this.placeOf(name, parts.length);
      const bytes = this.database.bodies.openBytes(name, row.bytes, place);
      parts.push(bytes);
      if (bytes.length < PART_BYTES) break;
    }
    return parts.length > 0 ? Buffer.concat(parts) : undefined;
  }

  private placeOf(name: string, part: number): BodyPlace {
    return ['kept', this.sessionId, name, part];
  }
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code !== 'damaged') throw error;
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
