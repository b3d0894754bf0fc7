import { execFile } from 'node:child_process';

interface CommandOptions {
  readonly timeoutMs: number;
  /** The command's whole environment; its PATH finds the command. Without it, our own is inherited. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a short command to its end and returns what it printed.
 *  Fails: plain Error whose message is one short line (not found, timed out, or the command's last line of stderr).
 */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      {
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 16 * 1024 * 1024,
        ...(options.env && { env: options.env }),
      },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else
          reject(new Error(shortReason(file, error, stderr, options.timeoutMs), { cause: error }));
      },
    );
  });
}

function shortReason(
  file: string,
  error: { readonly code?: number | string | null; readonly killed?: boolean },
  stderr: string,
  timeoutMs: number,
): string {
  if (error.code === 'ENOENT') return `${file} is not installed`;
  if (error.killed) return `${file} did not finish within ${timeoutMs / 1000} s`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // pip prints its reason first and advice on upgrading last.
  const reason = lines.findLast((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return (reason ?? `${file} failed (${String(error.code)})`).trim().slice(0, 300);
}
