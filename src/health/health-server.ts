import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One thing that must be so before work is given to this process. Resolves with what is wrong; null: nothing. */
export interface Readiness {
  readonly name: string;
  readonly trouble: () => Promise<string | null>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A look that takes longer has failed: whoever asks does not wait for ever either. */
const LONGEST_LOOK_MS = 3_000;

/** Answers `/healthz` (the process lives and its event loop turns: a stuck one answers nothing) and `/readyz`
 *  (200 if nothing is wrong, else 503, with each look by name as JSON).
 *  Fails: Error that names the address and the cure. */
export async function serveHealth(
  address: string,
  looks: readonly Readiness[],
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz') answer(response, 200, { status: 'ok' });
    else if (path === '/readyz') void ready(looks).then((told) => answer(response, ...told));
    else answer(response, 404, { error: 'There are /healthz and /readyz.' });
  });
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  server.listen(Number(address.slice(colon + 1)), host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(
      `Health cannot be served at ${address}: ${String(error)}. Choose another address: --health, or EVERLOOP_HEALTH.`,
      { cause: error },
    );
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function ready(looks: readonly Readiness[]): Promise<[number, object]> {
  const troubles = await Promise.all(looks.map(inTime));
  const isReady = troubles.every((trouble) => trouble === null);
  const told = looks.map(({ name }, index) => [name, troubles[index] ?? 'ok'] as const);
  const checks: Readonly<Record<string, string>> = Object.fromEntries(told);
  return [isReady ? 200 : 503, { ready: isReady, checks }];
}

async function inTime({ trouble }: Readiness): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${LONGEST_LOOK_MS} ms`), LONGEST_LOOK_MS);
  });
  try {
    return await Promise.race([trouble(), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
