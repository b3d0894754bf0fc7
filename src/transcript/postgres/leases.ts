import { randomUUID } from 'node:crypto';
import type { Lease, LeaseOwner } from '../store';
import { StoreError } from '../store-error';
import type { Database } from './database';
import type { Notices } from './notices';

/** Leases of one session, in its row of `heads`. A write and the question whether the lease still holds are one
 *  statement, which locks that row: a take-over waits for writes under way, and what comes after it is refused.
 *  So a holder that was stopped and wakes up can do no harm, however late. */
export class Leases {
  /** Epochs that somebody in this process was told they hold. */
  private readonly granted = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly notices: Notices,
    private readonly sessionId: string,
  ) {}

  async acquire(
    owner: LeaseOwner,
    isAlive: (owner: LeaseOwner) => Promise<boolean>,
  ): Promise<Lease> {
    const attempt = randomUUID();
    for (;;) {
      const head = await this.head();
      if (head === undefined) throw this.gone();
      const { epoch, is_held: isHeld } = head;
      if (head.acquired_by === attempt) return this.grant({ epoch, owner });
      if (isHeld && head.owner !== null) {
        const holder = { epoch, owner: fromOwnerText(head.owner) };
        // Made by us when the connection failed, so that nobody was told: it would keep us out as long as we live.
        const isLeftover = holder.owner.workerId === owner.workerId && !this.granted.has(epoch);
        if (!isLeftover && (await isAlive(holder.owner))) {
          await this.want(holder);
          throw this.held(holder);
        }
      }
      if (await this.take(owner, attempt, head)) return this.grant({ epoch: epoch + 1, owner });
    }
  }

  /** undefined: nobody holds it. */
  async current(): Promise<Lease | undefined> {
    const head = await this.head();
    if (head?.is_held !== true || head.owner === null) return undefined;
    return { epoch: head.epoch, owner: fromOwnerText(head.owner) };
  }

  async release({ epoch, owner }: Lease): Promise<void> {
    await this.database.query(
      'release a lease of',
      `UPDATE ${this.database.schema}.heads SET is_held = false
       WHERE session = $1 AND epoch = $2 AND worker = $3`,
      [this.sessionId, epoch, owner.workerId],
    );
  }

  /** For a write that changed nothing because its lease does not hold. */
  stale({ epoch, owner }: Lease): StoreError {
    return new StoreError(
      'lease_stale',
      `Lease ${epoch} of Worker ${owner.workerId} is over (session ${this.sessionId} at ${this.database.place}): another process serves the session, or it was released. Nothing was committed; acquire a new lease.`,
    );
  }

  /** Its holder hears of it by its next word to the register, and lets go of what it has no work for. */
  private async want({ epoch }: Lease): Promise<void> {
    await this.database.query(
      'ask for a lease of',
      `UPDATE ${this.database.schema}.heads SET wanted_at = now() WHERE session = $1 AND epoch = $2`,
      [this.sessionId, epoch],
    );
  }

  private grant(lease: Lease): Lease {
    this.granted.add(lease.epoch);
    return lease;
  }

  /** false: somebody was quicker. Streams of the holder before end. */
  private async take(owner: LeaseOwner, attempt: string, seen: Head): Promise<boolean> {
    const { schema } = this.database;
    const live = `live ${this.sessionId}`;
    const taken = await this.database.query(
      'acquire a lease of',
      `WITH taken AS (
         UPDATE ${schema}.heads
         SET epoch = epoch + 1, worker = $4, owner = $5, is_held = true, acquired_by = $6, wanted_at = NULL
         WHERE session = $1 AND epoch = $2 AND is_held = $3 RETURNING epoch
       ), ended AS (
         UPDATE ${schema}.streams SET ended_at = now()
         WHERE session = $1 AND ended_at IS NULL AND EXISTS (SELECT 1 FROM taken)
       )
       SELECT pg_notify($7, $8) FROM taken`,
      [
        this.sessionId,
        seen.epoch,
        seen.is_held,
        owner.workerId,
        JSON.stringify(owner),
        attempt,
        this.notices.channel,
        live,
      ],
    );
    this.notices.wake(live);
    return taken.length > 0;
  }

  /** undefined: the session was deleted. */
  private async head(): Promise<Head | undefined> {
    const [head] = await this.database.query<Head>(
      'read the lease of',
      `SELECT epoch, owner, is_held, acquired_by FROM ${this.database.schema}.heads WHERE session = $1`,
      [this.sessionId],
    );
    return head;
  }

  private gone(): StoreError {
    return new StoreError(
      'io',
      `Session ${this.sessionId} is no longer at ${this.database.place}: it was deleted. Start a new one.`,
    );
  }

  private held({ epoch, owner }: Lease): StoreError {
    return new StoreError(
      'lease_held',
      `The session is served by Worker ${owner.workerId} on ${owner.host} (lease ${epoch}, ${this.database.place}). Stop that process, or work through it.`,
    );
  }
}

interface Head {
  readonly epoch: number;
  readonly owner: string | null;
  readonly is_held: boolean;
  readonly acquired_by: string | null;
}

/** SQL of a CTE `fence`: one row while the lease holds, and its row is locked to the end of the statement's
 *  transaction. `$1` session, `$2` epoch, `$3` Worker. */
export const fenceOf = (schema: string): string => `fence AS (
  SELECT 1 FROM ${schema}.heads
  WHERE session = $1 AND epoch = $2 AND worker = $3 AND is_held FOR SHARE)`;

function fromOwnerText(text: string): LeaseOwner {
  return JSON.parse(text) as LeaseOwner;
}
