import { createInterface } from 'node:readline/promises';

/** Asks the person at the terminal, on stderr: stdout is for what was asked for. */
export async function confirm(terminal: NodeJS.ReadableStream): Promise<boolean> {
  const lines = createInterface({ input: terminal, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question('Do it? [y/N] ')).trim());
  } finally {
    lines.close();
  }
}
