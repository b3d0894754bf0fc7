import type { OutputStream } from '../output/output-stream';
import { find } from '../open-session';
import type { SessionHost } from '../session-host';
import { confirm } from './confirm';
import { asOperator } from './operator';
import { requireIdle } from './require-idle';
import { rewind } from './rewind';
import type { RewindCommand } from './rewind-command';

/** The rewind of a session of this host. `terminal`: where a person can be asked; null: nowhere. */
export function runRewind(
  command: RewindCommand,
  of: {
    readonly host: SessionHost;
    readonly stdout: OutputStream;
    readonly terminal: NodeJS.ReadableStream | null;
  },
): Promise<number> {
  const { host, stdout, terminal } = of;
  return asOperator(host, stdout, async ({ connected, session: select }) => {
    const session = await find(host, (await select(command.session)).sessionId);
    return rewind(command, {
      session,
      stdout,
      requireIdle: () => requireIdle(connected, session, host.store.place),
      confirm: terminal && (() => confirm(terminal)),
    });
  });
}
