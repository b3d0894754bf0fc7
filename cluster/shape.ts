import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readCompose, type Service } from './compose-file';

export const ROOT = join(__dirname, '..');

/** What docker-compose.yml describes, for a cluster whose files lie in a folder of this machine. */
export interface Shape {
  readonly folder: string;
  /** Of `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly postgres: Service;
  readonly schema: Service;
  readonly temporal: Service;
  readonly namespace: Service;
  readonly workers: readonly Service[];
}

/** Reads docker-compose.yml with the `.env` of the folder, which is made by the command that people are told to use.
 *  Fails: Error when a service is missing. */
export function readShape(folder: string): Shape {
  const workspaces = join(folder, 'workspaces');
  mkdirSync(workspaces, { recursive: true });
  const file = join(folder, '.env');
  if (!existsSync(file)) {
    const made = execFileSync('/bin/sh', [join(ROOT, 'deploy/make-env.sh'), workspaces]);
    writeFileSync(file, made, { mode: 0o600 });
  }
  const variables = Object.fromEntries(
    Object.entries(parseEnv(readFileSync(file, 'utf8'))).map(([name, value]) => [
      name,
      value ?? '',
    ]),
  );
  const services = readCompose(join(ROOT, 'docker-compose.yml'), variables);
  const service = (name: string): Service => {
    const found = services.get(name);
    if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}.`);
    return found;
  };
  return {
    folder,
    variables,
    postgres: service('postgres'),
    schema: service('schema'),
    temporal: service('temporal'),
    namespace: service('namespace'),
    workers: [...services.values()].filter(({ name }) => name.startsWith('worker-')),
  };
}

/** The version that an image is pinned to. */
export const versionOf = ({ image }: Service): string => image.split(':')[1] ?? '';

/** What is different outside of a container. Fails: Error when it is no difference, because the file has changed. */
export function withChanges(
  { name, environment }: Service,
  changes: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const unknown = Object.keys(changes).filter((key) => environment[key] === undefined);
  if (unknown.length > 0) {
    throw new Error(`docker-compose.yml does not set ${unknown.join(', ')} for ${name} any more.`);
  }
  return { ...environment, ...changes };
}
