import type { SessionMeta } from '../transcript/store';
import type { Paint, Theme } from '../terminal/theme';
import { printable } from './operator/printable';
import { ago } from './output/ago';
import type { Layout } from './output/layout';
import type { OutputStream } from './output/output-stream';
import { table, type Column } from './output/table';

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

/** Sessions, newest first: a table for people, or one JSON object a line. `layout`: of the terminal that they look at;
 *  absent: there is none. */
export async function list(
  { json }: { readonly json: boolean },
  deps: {
    readonly stdout: OutputStream;
    readonly layout?: Layout | null;
    readonly sessions: () => Promise<readonly ListedSession[]>;
  },
): Promise<number> {
  const newestFirst = [...(await deps.sessions())].sort((a, b) =>
    b.createdAt.localeCompare(a.createdAt),
  );
  const lines = json
    ? newestFirst.map((session) => JSON.stringify(session))
    : toTable(newestFirst, deps.layout ?? null);
  if (lines.length > 0) await deps.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

/** What a narrow terminal still shows of a state. */
const LEAST_STATE = 'awaiting-approval…'.length;
const LEAST_FOLDER = 10;

function toTable(sessions: readonly ListedSession[], layout: Layout | null): readonly string[] {
  if (sessions.length === 0) return ['There are no sessions yet. Begin one: everloop -p "…"'];
  const columns: readonly Column[] = [
    { title: 'SESSION' },
    { title: layout === null ? 'CREATED (UTC)' : 'CREATED' },
    { title: 'STATE', cut: 'end', least: LEAST_STATE },
    { title: 'FOLDER', cut: 'start', least: LEAST_FOLDER },
  ];
  const rows = sessions.map((session) => [
    { text: session.sessionId },
    { text: createdText(session, layout) },
    { text: stateText(session), ...(layout && { paint: paintOf(session, layout.theme) }) },
    { text: printable(session.cwd) },
  ]);
  const needs = sessions.flatMap(({ sessionId, needs: need }) =>
    need == null ? [] : [`${sessionId} needs ${need}`],
  );
  const size = layout ?? { columns: null, widthOf: (text: string) => text.length };
  return [...table(columns, rows, size), ...needs, countsOf(sessions)];
}

/** A table that is kept is read later. */
const createdText = ({ createdAt }: ListedSession, layout: Layout | null): string =>
  layout === null ? createdAt.slice(0, 16).replace('T', ' ') : ago(createdAt, layout.nowMs);

const stateWord = ({ status, state }: ListedSession): string => status ?? state ?? '?';

const stateText = (session: ListedSession): string =>
  [
    stateWord(session),
    ...(session.waitingFor == null ? [] : [`(${printable(session.waitingFor)})`]),
  ].join(' ');

function paintOf(session: ListedSession, theme: Theme): Paint {
  if (session.needs != null) return theme.bad;
  switch (stateWord(session)) {
    case 'running':
      return theme.good;
    case 'awaiting-approval':
    case 'awaiting-answer':
    case 'awaiting-workspace':
    case 'paused':
      return theme.warning;
    case 'ended':
    case 'recorded':
      return theme.dim;
    default:
      return (text) => text;
  }
}

/** "3 sessions: 1 running, 2 ended", in the order in which they come above. */
function countsOf(sessions: readonly ListedSession[]): string {
  const counts = new Map<string, number>();
  for (const word of sessions.map(stateWord)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${word === '?' ? 'unknown' : word}`);
  return `${sessions.length} session${sessions.length === 1 ? '' : 's'}: ${parts.join(', ')}`;
}
