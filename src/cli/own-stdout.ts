import { Console } from 'node:console';
import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isatty, WriteStream } from 'node:tty';

/** Where the launcher says under which number it has put the stdout that it was given. */
const FD_VARIABLE = 'EVERLOOP_STDOUT_FD';

/** Whether a person reads our stdout. Asked before it is taken. */
export function isStdoutTerminal(environment: NodeJS.ProcessEnv = process.env): boolean {
  const fd = Number(environment[FD_VARIABLE] ?? 1);
  return Number.isInteger(fd) && isatty(fd);
}

/** From here on stdout is ours: what anybody else prints goes to stderr, since one stray line breaks a client's
 *  parser. The launcher sees to it below Node (file descriptor 1 is stderr then, for native code, loggers that write
 *  to a number, and child processes too); without it, what goes through Node's own streams is caught. */
export function takeStdout(environment: NodeJS.ProcessEnv = process.env): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr);
  // The failed write reports to its callback; without a listener the event would end the process.
  stdout.on('error', () => undefined);
  const fd = Number(environment[FD_VARIABLE] ?? Number.NaN);
  // Programs that we start have a stdout of their own.
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a name that is said once
  delete environment[FD_VARIABLE];
  return (Number.isInteger(fd) && openFd(fd)) || throughNode(write);
}

function throughNode(write: typeof process.stdout.write): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, written) => void write(chunk, written),
  });
}

/** As Node opens its own stdout. null: there is no such descriptor. */
function openFd(fd: number): Writable | null {
  try {
    if (isatty(fd)) return new WriteStream(fd);
    const stat = fstatSync(fd);
    if (stat.isFIFO() || stat.isSocket())
      return new Socket({ fd, readable: false, writable: true });
    return toFile(fd);
  } catch {
    return null;
  }
}

/** A file takes what it is given at once. */
function toFile(fd: number): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, written) => {
      try {
        for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at);
        written();
      } catch (error) {
        written(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}
