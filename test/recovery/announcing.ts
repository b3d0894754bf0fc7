// A process that announces itself, prints where, and stays until it is killed. SIGUSR2 makes it busy for five seconds.
import { announce } from '../../src/recovery/presence';

process.on('SIGUSR2', () => {
  for (const end = Date.now() + 5_000; Date.now() < end;);
});

announce().then(
  ({ owner }) => {
    process.stdout.write(`${JSON.stringify(owner)}\n`);
    setInterval(() => undefined, 60_000);
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
