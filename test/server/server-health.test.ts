// Needs a Temporal server (test/support/temporal.ts).
import { once } from 'node:events';
import { createServer } from 'node:net';

import { isServing } from '../../src/server/server-health';
import { temporalAddress } from '../support/temporal';

test('a server with the namespace is serving', async () => {
  expect(await isServing(temporalAddress(), 'default', 5_000)).toBe(true);
});

test('a server without the namespace is not', async () => {
  expect(await isServing(temporalAddress(), 'no-such-namespace', 5_000)).toBe(false);
});

test('a port where nobody listens is not', async () => {
  expect(await isServing('127.0.0.1:1', 'default', 5_000)).toBe(false);
});

test('a program that accepts and stays silent is given up after the timeout', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(
    0,
    '127.0.0.1',
  );
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };

  const serving = await isServing(`127.0.0.1:${port}`, 'default', 100);

  expect(serving).toBe(false);
  silent.close();
});
