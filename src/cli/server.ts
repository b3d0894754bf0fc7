import type { ServerAddress, ServerStatus } from '../server/local-server';
import type { ServerCommand } from './command';
import type { OutputStream } from './output/output-stream';

export interface ServerDeps {
  readonly stdout: OutputStream;
  readonly start: () => Promise<ServerAddress>;
  /** false: none ran. */
  readonly stop: () => Promise<boolean>;
  readonly status: () => Promise<ServerStatus>;
}

/** The local server of this home folder. Exit code 1 for the status of a server that does not answer, for scripts. */
export async function server({ action, json }: ServerCommand, deps: ServerDeps): Promise<number> {
  switch (action) {
    case 'start': {
      const started = await deps.start();
      const text = `Temporal answers at ${started.address}; its UI is at ${started.uiUrl}.`;
      await deps.stdout.write(`${json ? JSON.stringify(started) : text}\n`);
      return 0;
    }
    case 'stop': {
      const stopped = await deps.stop();
      const text = stopped ? 'The server has stopped.' : 'No server was running.';
      await deps.stdout.write(`${json ? JSON.stringify({ stopped }) : text}\n`);
      return 0;
    }
    case 'status': {
      const status = await deps.status();
      await deps.stdout.write(`${json ? JSON.stringify(status) : toText(status)}\n`);
      return status.running && status.serving ? 0 : 1;
    }
  }
}

function toText(status: ServerStatus): string {
  if (!status.running) return 'No server runs. It starts with the first command that needs it.';
  const { address, uiUrl, pid, startedAt, database, logFile } = status;
  const answer = status.serving
    ? `answers at ${address}`
    : `does not answer at ${address} (everloop server stop ends it)`;
  return `Process ${pid} ${answer} since ${startedAt}.\nUI: ${uiUrl}\nDatabase: ${database}\nLog: ${logFile}`;
}
