import { Console } from 'node:console';
import { Writable } from 'node:stream';

/** From here on stdout is ours: what libraries print goes to stderr, since one stray line breaks a client's parser. */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr);
  // The failed write reports to its callback; without a listener the event would end the process.
  stdout.on('error', () => undefined);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, written) => void write(chunk, written),
  });
}
