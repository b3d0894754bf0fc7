/** Keeps what anybody prints away from the screen. `release` prints it, as late as it is. */
export function holdStderr(): () => void {
  const { stdout, stderr } = process;
  const before = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) };
  const held: string[] = [];
  const hold = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    held.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    if (held.length > MOST_HELD) held.shift();
    for (const value of rest) if (isCallback(value)) process.nextTick(value);
    return true;
  };
  stdout.write = hold;
  stderr.write = hold;
  return () => {
    stdout.write = before.stdout;
    stderr.write = before.stderr;
    for (const text of held.splice(0)) stderr.write(text);
  };
}

const MOST_HELD = 200;

const isCallback = (value: unknown): value is () => void => typeof value === 'function';
