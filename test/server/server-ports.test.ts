import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

import { chooseServerPorts } from '../../src/server/server-ports';

const listening: Server[] = [];

afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  listening.push(server);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

test('four different ports are chosen', async () => {
  const ports = Object.values(await chooseServerPorts({ frontend: 0, ui: 0 }));

  expect(new Set(ports).size).toBe(4);
  expect(ports.every((port) => port > 0)).toBe(true);
});

test('the ports of the previous server are preferred', async () => {
  const { frontend, ui } = await chooseServerPorts({ frontend: 0, ui: 0 });

  const ports = await chooseServerPorts({}, { frontend, ui });

  expect(ports).toMatchObject({ frontend, ui });
});

test('a preferred port that is taken is passed over', async () => {
  const [frontend, ui] = [await takenPort(), await takenPort()];

  const ports = await chooseServerPorts({}, { frontend, ui });

  expect([frontend, ui]).not.toContain(ports.frontend);
  expect([frontend, ui]).not.toContain(ports.ui);
});

test.each(['frontend', 'ui'] as const)('a %s port asked for and taken fails', async (role) => {
  const port = await takenPort();

  const choice = chooseServerPorts({ frontend: 0, ui: 0, [role]: port });

  await expect(choice).rejects.toMatchObject({
    code: 'port_taken',
    message: expect.stringContaining(`Port ${port}, asked for as the ${role} port`) as string,
  });
});

test('one port asked for twice fails', async () => {
  const { frontend } = await chooseServerPorts({ frontend: 0, ui: 0 });

  const choice = chooseServerPorts({ frontend, ui: frontend });

  await expect(choice).rejects.toMatchObject({ code: 'port_taken' });
});
