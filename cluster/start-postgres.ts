import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  findPostgres,
  initPostgres,
  isInitialised,
  openPostgres,
  servePostgres,
  type PostgresFolder,
  type PostgresPrograms,
  type RunningPostgres,
} from './native-postgres';
import { toNative, type Service } from './compose-file';
import type { Shape } from './shape';

/** Does what the entrypoint of the Postgres image does for the service: a database, its roles, the server.
 *  Fails: Error when there is no Postgres on this machine. */
export async function startPostgres(shape: Shape, port: number): Promise<RunningPostgres> {
  const { postgres: service, folder } = shape;
  const programs = findPostgres();
  if (programs === undefined) {
    throw new Error('There is no Postgres. Install the dependencies (npm ci), or Postgres itself.');
  }
  const path = join(folder, 'postgres');
  const isNew = !isInitialised(path);
  const place = isNew ? await initialise(service, path, programs) : openPostgres(path, programs);
  const server = await servePostgres(place, { ...settingsOf(service), port });
  if (isNew) {
    await createRoles(shape, path, port, programs).catch(async (error: unknown) => {
      await server.end();
      throw error;
    });
  }
  return server;
}

async function initialise(
  { environment }: Service,
  path: string,
  programs: PostgresPrograms,
): Promise<PostgresFolder> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return initPostgres(path, programs, {
    user: environment['POSTGRES_USER'] ?? '',
    password: environment['POSTGRES_PASSWORD'] ?? '',
    flags: (environment['POSTGRES_INITDB_ARGS'] ?? '').split(' '),
  });
}

/** `postgres -c name=value …` */
function settingsOf({ command }: Service): Readonly<Record<string, string>> {
  const pairs = command.slice(1).filter((word) => word !== '-c');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

async function createRoles(
  { postgres, variables }: Shape,
  path: string,
  port: number,
  { uid, gid }: PostgresPrograms,
): Promise<void> {
  const secrets = join(path, 'secrets');
  mkdirSync(secrets, { mode: 0o700 });
  for (const name of ['temporal_db_password', 'store_db_password']) {
    writeFileSync(join(secrets, name), variables[name.toUpperCase()] ?? '', { mode: 0o600 });
    chownSync(join(secrets, name), uid, gid);
  }
  chownSync(secrets, uid, gid);
  const {
    POSTGRES_DB: database = '',
    POSTGRES_USER: user,
    POSTGRES_PASSWORD: password,
  } = postgres.environment;
  const address = { host: '127.0.0.1', port, user, password };
  await query({ ...address, database: 'postgres' }, `CREATE DATABASE "${database}"`);
  const script = toNative(postgres, '/docker-entrypoint-initdb.d/roles.sql');
  const roles = readFileSync(script, 'utf8').replaceAll('/run/secrets/', `${secrets}/`);
  await query({ ...address, database }, roles);
}

async function query(at: ConstructorParameters<typeof Client>[0], sql: string): Promise<void> {
  const client = new Client(at);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
