import type { OutputStream } from './output-stream';
import type { SessionOutput } from './session-output';

/** Every message at once, one JSON object a line. */
export function streamJsonOutput(stdout: OutputStream): SessionOutput {
  return {
    message: (message) => stdout.writeLine(message),
    end: () => Promise.resolve(),
  };
}
