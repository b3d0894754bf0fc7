import type { PrintCommand } from '../command';
import { create, find } from '../open-session';
import type { OutputStream } from '../output/output-stream';
import type { SessionHost } from '../session-host';
import { fork } from './fork';
import type { ForkCommand } from './fork-command';
import { asOperator } from './operator';
import { requireIdle } from './require-idle';

/** The fork of a session of this host. `ask`: answers a prompt as `everloop -p` does. */
export function forkSession(
  command: ForkCommand,
  of: {
    readonly host: SessionHost;
    readonly stdout: OutputStream;
    readonly stderr: OutputStream;
    readonly ask: (command: PrintCommand) => Promise<number>;
  },
): Promise<number> {
  const { host, stdout, stderr } = of;
  return asOperator(host, stdout, async ({ connected, session: select }) => {
    const source = await find(host, (await select(command.session)).sessionId);
    const { sessionId, ask } = command;
    const persistent = ask?.persistent ?? true;
    return fork(command, {
      source,
      stdout,
      stderr,
      requireIdle: () => requireIdle(connected, source, host.store.place),
      create: () =>
        create(host, { serve: 'foreground', persistent }, { sessionId, cwd: source.meta.cwd }),
      ask: of.ask,
    });
  });
}
