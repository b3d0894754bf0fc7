import type { LiveEvent } from '../session-log';
import type { Database } from './database';
import type { NoticeName, Notices } from './notices';

interface DeltaRow {
  readonly ended: boolean;
  readonly seq: number | null;
  readonly body: string | null;
}

/** Yields the events of a stream until it ends. One that is over, or not there, yields nothing. */
export async function* followLive(
  live: string,
  of: { readonly database: Database; readonly notices: Notices; readonly sessionId: string },
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void> {
  const { database, notices, sessionId } = of;
  const { schema } = database;
  const notice: NoticeName = `live ${sessionId}`;
  notices.enter(notice);
  try {
    for (let after: number | null = null; !signal.aborted;) {
      const version = notices.version(notice);
      const rows: readonly DeltaRow[] = await database.query<DeltaRow>(
        'read deltas of',
        `SELECT streams.ended_at IS NOT NULL AS ended, delta.seq, delta.body
         FROM ${schema}.streams LEFT JOIN LATERAL (
           SELECT seq, body FROM ${schema}.deltas
           WHERE session = $1 AND stream = $2 AND seq > $3 ORDER BY seq LIMIT 500
         ) AS delta ON true
         WHERE streams.session = $1 AND streams.name = $2 ORDER BY delta.seq`,
        [sessionId, live, after ?? 0],
      );
      const [first] = rows;
      if (first === undefined || (first.ended && after === null)) return;
      after ??= 0;
      if (first.seq === null) {
        if (first.ended) return;
        await notices.changed(notice, version, signal);
      }
      for (const { seq, body } of rows) {
        if (seq === null || body === null) continue;
        const events = database.bodies.open(body, ['deltas', sessionId, live, seq]);
        for (const text of events.split('\n')) yield fromLiveText(text);
        after = seq;
      }
    }
  } finally {
    notices.leave(notice);
  }
}

const fromLiveText = (text: string): LiveEvent => JSON.parse(text) as LiveEvent;
