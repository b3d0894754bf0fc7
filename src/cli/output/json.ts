import type { OutputStream } from './output-stream';
import type { SdkMessage } from './sdk-message';
import type { SessionOutput } from './session-output';

/** One JSON value at the end: the last result, or with `verbose` the list of all messages. */
export function jsonOutput(stdout: OutputStream, { verbose }: { verbose: boolean }): SessionOutput {
  const messages: SdkMessage[] = [];
  return {
    message: (message) => {
      if (verbose || message.type === 'result') messages.push(message);
      return Promise.resolve();
    },
    end: async () => {
      const last = messages.at(-1);
      if (last) await stdout.writeLine(verbose ? messages : last);
    },
  };
}
