import type { ListedSession } from '../cli/list';
import { lines } from './block';
import { choiceList } from './choice-list';
import type { Dialog } from './dialog-view';
import type { Theme } from './theme';

const SHOWN = 12;

/** The sessions of a folder to choose from, newest first; null: there are none. */
export function sessionPicker(
  sessions: readonly ListedSession[],
  of: {
    readonly cwd: string;
    /** Id of the session that the screen shows; null: none. */
    readonly current: string | null;
    readonly theme: Theme;
    readonly chosen: (sessionId: string) => void;
    readonly cancelled: () => void;
  },
): Dialog | null {
  const here = sessions
    .filter(({ cwd }) => cwd === of.cwd)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, SHOWN);
  if (here.length === 0) return null;
  return {
    view: () => [lines(of.theme.bold('  Sessions of this folder'))],
    list: choiceList(
      here.map(({ sessionId, createdAt, state }) => ({
        label: `${createdAt.slice(0, 16).replace('T', ' ')}  ${sessionId.slice(0, 8)}`,
        description: sessionId === of.current ? 'this one' : (state ?? 'unknown'),
      })),
    ),
    chosen([place = 0]) {
      const chosen = here[place]?.sessionId;
      if (chosen === undefined || chosen === of.current) of.cancelled();
      else of.chosen(chosen);
    },
    cancelled: of.cancelled,
  };
}
