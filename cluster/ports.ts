import { freePort } from '../test/support/free-port';

/** Ports that somebody asked for; null: any free one. */
export interface WantedPorts {
  readonly temporal: number | null;
  readonly postgres: number | null;
}

/** As many different free ports as are asked for. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** What the Temporal server listens at, beside its frontend. In a container each of them has a port of its own anyway. */
export async function innerPorts(): Promise<Readonly<Record<string, string>>> {
  const names = [
    'FRONTEND_HTTP_PORT',
    'FRONTEND_MEMBERSHIP_PORT',
    'MATCHING_GRPC_PORT',
    'MATCHING_MEMBERSHIP_PORT',
    'HISTORY_GRPC_PORT',
    'HISTORY_MEMBERSHIP_PORT',
    'WORKER_GRPC_PORT',
    'WORKER_MEMBERSHIP_PORT',
  ];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}
