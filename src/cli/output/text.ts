import type { OutputStream } from './output-stream';
import type { SessionOutput } from './session-output';

/** The answer alone. An error is none and goes to stderr. */
export function textOutput(stdout: OutputStream, stderr: OutputStream): SessionOutput {
  return {
    message: () => Promise.resolve(),
    end: async (result) => {
      if (!result) return;
      const text = result.result ?? result.errors?.join('\n') ?? '';
      await (result.is_error ? stderr : stdout).write(withLineEnd(text));
    },
  };
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
