import { createHash } from 'node:crypto';
import type { KeptFiles } from '../store';
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
    for (let part = 0; part === 0 || part * PART_BYTES < bytes.length; part += 1) {
      await this.database.query(
        'keep a file of',
        `INSERT INTO ${this.database.schema}.kept (session, digest, part, bytes)
         VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [this.sessionId, digest, part, bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)],
      );
    }
    this.lasting.add(digest);
    return digest;
  }

  async get(digest: string): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const [row] = await this.database.query<{ bytes: Buffer }>(
        'read a kept file of',
        `SELECT bytes FROM ${this.database.schema}.kept
         WHERE session = $1 AND digest = $2 AND part = $3`,
        [this.sessionId, digest, parts.length],
      );
      if (row === undefined) break;
      parts.push(row.bytes);
      if (row.bytes.length < PART_BYTES) break;
    }
    const bytes = Buffer.concat(parts);
    return parts.length > 0 && digestOf(bytes) === digest ? bytes : undefined;
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
