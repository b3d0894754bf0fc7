import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below 32768, where Linux begins to give ports to outgoing connections: one of those could take a port
 *  between our look and its use.
 */
const [FIRST, LAST] = [20_000, 32_000];

/** A port of this machine that nobody has at this moment: for programs that want to be told one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
