/** How much one answer of the server holds, apart from a single row that is larger. */
const PAGE_BYTES = 8 << 20;
const PAGE_ROWS = 1_000;

/** SQL that reads the rows of a session behind a place, page by page: $1 session, $2 the `seq` of the row before.
 *  That row comes first, without its body: if it is not the one that it was, the server has lost what it had
 *  confirmed (a failover to a standby that lagged behind), and whoever read it starts over. `end`: the last `seq`
 *  there is; rows come with `seq` null when there is none to read, and not at all when the session is gone.
 *  The sizes of large bodies are known without reading them. */
export function pageOf(of: {
  readonly schema: string;
  readonly table: 'records' | 'log';
  /** Column of `heads` that counts the rows. */
  readonly count: 'records' | 'entries';
  /** Column that tells one row with a `seq` from another. */
  readonly mark: 'uuid' | 'at';
}): string {
  const { schema, table, count, mark } = of;
  return `
    SELECT heads.${count} AS "end", page.seq, page.mark, page.body
    FROM ${schema}.heads LEFT JOIN LATERAL (
      SELECT seq, mark, CASE WHEN seq > $2 THEN body END AS body
      FROM (
        SELECT seq, mark, body, sum(bytes) OVER (ORDER BY seq) - bytes AS before
        FROM (
          SELECT seq, ${mark} AS mark, body,
            CASE WHEN seq > $2 THEN octet_length(body) ELSE 0 END AS bytes
          FROM ${schema}.${table} WHERE session = $1 AND seq >= $2 ORDER BY seq LIMIT ${PAGE_ROWS}
        ) AS sized
      ) AS summed
      WHERE before < ${PAGE_BYTES} ORDER BY seq
    ) AS page ON true
    WHERE heads.session = $1 ORDER BY page.seq`;
}

export interface PageRow {
  readonly end: number;
  readonly seq: number | null;
  readonly mark: string | null;
  readonly body: string | null;
}

/** A row and what tells it from another that had its number; `seq` 0: before the first. */
export interface PagePlace {
  readonly seq: number;
  readonly mark: string;
}

export const BEGINNING: PagePlace = { seq: 0, mark: '' };

/** Rows behind the place. `lost`: the place is not there any more. `gone`: nor is the session. */
export function readPage(
  rows: readonly PageRow[],
  { seq: after, mark }: PagePlace,
): 'gone' | 'lost' | { readonly rows: readonly NewRow[]; readonly end: number } {
  const [first] = rows;
  if (first === undefined) return 'gone';
  if (after > 0 && (first.seq !== after || first.mark !== mark)) return 'lost';
  return { rows: rows.filter(isNew), end: first.end };
}

interface NewRow {
  readonly seq: number;
  readonly mark: string;
  readonly body: string;
}

function isNew(row: PageRow): row is PageRow & NewRow {
  return row.seq !== null && row.mark !== null && row.body !== null;
}
