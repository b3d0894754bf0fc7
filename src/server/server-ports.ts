import { createServer, type Server } from 'node:net';

import { ServerError } from './server-error';

/** Ports asked for by the user. 0 asks for any free port; without a number the usual one is preferred. */
export interface WantedPorts {
  readonly frontend?: number;
  readonly ui?: number;
}

export interface ServerPorts {
  readonly frontend: number;
  readonly ui: number;
  readonly http: number;
  readonly metrics: number;
}

/** Temporal's own defaults, which people have in their browsers and in their fingers. */
const USUAL = { frontend: 7233, ui: 8233 };

/** Chooses four different ports that are free on loopback now.
 *  `previous` are the ports of an earlier server of this home: Workers that still run reconnect to them.
 *  Fails: ServerError port_taken when a port that was asked for by number is in use.
 */
export async function chooseServerPorts(
  wanted: WantedPorts,
  previous?: { readonly frontend: number; readonly ui: number },
): Promise<ServerPorts> {
  const held: Server[] = [];
  // All four are held until the last is chosen, so none can be chosen twice.
  const choose = async (role: 'frontend' | 'ui'): Promise<number> => {
    const number = wanted[role];
    if (number !== undefined && number !== 0) return requirePort(number, role, held);
    const candidates = number === 0 ? [] : [previous?.[role] ?? USUAL[role], USUAL[role]];
    return firstFree([...candidates, 0], held);
  };
  try {
    const frontend = await choose('frontend');
    const ui = await choose('ui');
    const http = await firstFree([0], held);
    const metrics = await firstFree([0], held);
    return { frontend, ui, http, metrics };
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

async function requirePort(
  number: number,
  role: 'frontend' | 'ui',
  held: Server[],
): Promise<number> {
  const port = await hold(number, held);
  if (port !== undefined) return port;
  throw new ServerError(
    'port_taken',
    `Port ${number}, asked for as the ${role} port of the local Temporal server, cannot be used: ` +
      'another program listens on it, or it is reserved. Choose another port, or give none to let everloop choose.',
  );
}

async function firstFree(candidates: readonly number[], held: Server[]): Promise<number> {
  for (const candidate of candidates) {
    const port = await hold(candidate, held);
    if (port !== undefined) return port;
  }
  throw new ServerError(
    'start_failed',
    'No free port on 127.0.0.1. Close some programs, then try again.',
  );
}

/** Listens on a port (0: any) and returns its number; undefined when it is in use. */
function hold(port: number, held: Server[]): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      held.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : undefined);
    });
  });
}
