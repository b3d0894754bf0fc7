// A process that announces itself, prints where, and stays until it is killed.
import { announce } from '../../src/recovery/presence';

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
