import type { SessionMeta } from '../transcript/store';
import type { OutputStream } from './output/output-stream';

/** What `ls` shows of a session. */
export type ListedSession = Pick<SessionMeta, 'sessionId' | 'cwd' | 'createdAt'> & {
  /** What it does, in a word or two; null: nobody can be asked. */
  readonly state: string | null;
  /** Of its running query, as the server's index has it; null, or absent: none runs, or it has none. */
  readonly status?: string | null;
  /** What that query would go on with: "approval: Bash". */
  readonly waitingFor?: string | null;
  /** What it waits for because nobody serves it; null, or absent: nothing. */
  readonly needs?: string | null;
};

/** Sessions, newest first: a table for people, or one JSON object a line. */
export async function list(
  { json }: { readonly json: boolean },
  deps: {
    readonly stdout: OutputStream;
    readonly sessions: () => Promise<readonly ListedSession[]>;
  },
): Promise<number> {
  const newestFirst = [...(await deps.sessions())].sort((a, b) =>
    b.createdAt.localeCompare(a.createdAt),
  );
  const lines = json ? newestFirst.map((session) => JSON.stringify(session)) : toTable(newestFirst);
  if (lines.length > 0) await deps.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function toTable(sessions: readonly ListedSession[]): readonly string[] {
  if (sessions.length === 0) return ['There are no sessions yet. Begin one: everloop -p "…"'];
  const rows = sessions.map(({ sessionId, createdAt, state, status, waitingFor, cwd }) => [
    sessionId,
    createdAt.slice(0, 16).replace('T', ' '),
    [status ?? state ?? '?', ...(waitingFor == null ? [] : [`(${waitingFor})`])].join(' '),
    cwd,
  ]);
  const all = [['SESSION', 'CREATED (UTC)', 'STATE', 'FOLDER'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const table = all.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  const needs = sessions.flatMap(({ sessionId, needs: need }) =>
    need == null ? [] : [`${sessionId} needs ${need}`],
  );
  return [...table, ...needs];
}
