import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { z } from 'zod';

/** `<home>/server/server.json`: the server that was last started for this home. It may have ended since. */
const ServerRecord = z.object({
  /** `127.0.0.1:<port>`, gRPC. */
  address: z.string(),
  uiUrl: z.string(),
  pid: z.int().positive(),
  /** ISO instant. */
  startedAt: z.string(),
  cliVersion: z.string(),
  /** Absolute path; the process has it among its arguments, which is how it is told from a stranger with its pid. */
  database: z.string(),
  /** So that a server that replaces this one takes the same ports. */
  ports: z.object({ frontend: z.int(), ui: z.int() }),
});

export type ServerRecord = Readonly<z.infer<typeof ServerRecord>>;

/** `<home>/server`: record, database, log and lock. */
export function serverFolder(home: string): string {
  return join(resolve(home), 'server');
}

export function serverLogFile(home: string): string {
  return join(serverFolder(home), 'server.log');
}

/** Undefined when there is none, or none that can be read: a lost record costs a restart at most. */
export function readServerRecord(home: string): ServerRecord | undefined {
  try {
    const text = readFileSync(recordPath(home), 'utf8');
    return ServerRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Synchronous, so that nothing comes between the start of the process and the note of its pid. */
export function writeServerRecord(home: string, record: ServerRecord): void {
  const draft = `${recordPath(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, recordPath(home));
}

export async function removeServerRecord(home: string): Promise<void> {
  await rm(recordPath(home), { force: true });
}

function recordPath(home: string): string {
  return join(serverFolder(home), 'server.json');
}
