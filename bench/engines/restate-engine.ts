import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { folderBytes } from './folder-bytes';
import type { RestatePlace } from '../protocol';
import type { Engine } from './engine';
import { freePort } from '../../test/support/free-port';

const STARTS_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 100;

export interface RestateEngine extends Engine {
  readonly place: RestatePlace;
  close(): Promise<void>;
}

/** The Restate server out of the entrant's packages, with its defaults, in a folder. */
export async function startRestateEngine(packages: string, folder: string): Promise<RestateEngine> {
  const [node, ingress, admin, servicePort] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const binary = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  mkdirSync(folder);
  const server = spawn(join(packages, binary), ['--no-logo', '--base-dir', folder], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'error',
    },
  });
  // Fails here when there is no server for this platform.
  await once(server, 'spawn');
  // However the benchmark ends.
  process.once('exit', () => server.kill('SIGKILL'));
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  await healthy([`${urlOf(admin)}/health`, `${urlOf(ingress)}/restate/health`]);
  return {
    place: { ingress: urlOf(ingress), admin: urlOf(admin), servicePort },
    pids: async () => [server.pid ?? 0],
    mark: async () => folderBytes(folder),
    stored: async (_, mark) => ({
      events: null,
      bytes: folderBytes(folder) - mark,
      besideBytes: 0,
    }),
    async close() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

async function healthy(urls: readonly string[]): Promise<void> {
  const deadline = Date.now() + STARTS_WITHIN_MS;
  for (const url of urls) {
    while (!(await answers(url))) {
      if (Date.now() > deadline) throw new Error(`The Restate server does not answer at ${url}.`);
      await pause(LOOK_AGAIN_MS);
    }
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
