import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** A service as docker-compose.yml describes it, with its variables put in. */
export interface Service {
  readonly name: string;
  readonly image: string;
  /** Of the container; the service's name, if the file says none. */
  readonly hostname: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of this repository that it sees, by their path in the container. */
  readonly mounts: Readonly<Record<string, string>>;
}

const Scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const ComposeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      hostname: z.string().optional(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), Scalar).default({}),
      volumes: z.array(z.string()).default([]),
    }),
  ),
});

/** The services of a compose file, by name. `variables` are those of `.env`.
 *  Fails: Error that names a variable that is required and not there. */
export function readCompose(
  file: string,
  variables: Readonly<Record<string, string>>,
): ReadonlyMap<string, Service> {
  const text = readFileSync(file, 'utf8');
  const { services } = ComposeFile.parse(parse(text, { merge: true }));
  const putIn = (value: string): string => interpolate(value, variables);
  return new Map(
    Object.entries(services).map(([name, { image, hostname, command, environment, volumes }]) => [
      name,
      {
        name,
        image,
        hostname: hostname ?? name,
        command: command.map(putIn),
        environment: Object.fromEntries(
          Object.entries(environment).map(([key, value]) => [key, putIn(value)]),
        ),
        mounts: Object.fromEntries(
          volumes
            .map((volume) => putIn(volume).split(':'))
            .filter(([source = '']) => source.startsWith('./'))
            .map(([source = '', target = '']) => [target, resolve(dirname(file), source)]),
        ),
      },
    ]),
  );
}

/** A path in the container of a service, as this machine has it. Others stay. */
export function toNative({ mounts }: Service, path: string): string {
  for (const [target, source] of Object.entries(mounts)) {
    if (path === target || path.startsWith(`${target}/`)) return source + path.slice(target.length);
  }
  return path;
}

const VARIABLE = /\$(?:\$|\{(\w+)(?::([-?])([^}]*))?\})/g;

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    VARIABLE,
    (whole: string, name?: string, operator?: string, operand?: string) => {
      if (name === undefined) return whole.slice(1);
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (operator === '?') throw new Error(`${name} is not set. ${operand ?? ''}.`);
      return operator === '-' ? (operand ?? '') : '';
    },
  );
}
