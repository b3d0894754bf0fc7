import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const ROOT = join(__dirname, '..', '..');

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** As docker-compose.yml spells a service, before variables are put in. */
export interface WrittenService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly stop_grace_period?: string;
}

export interface WrittenCompose {
  readonly services: Readonly<Record<string, WrittenService>>;
}

export const readWritten = (): WrittenCompose =>
  parse(textOf('docker-compose.yml'), { merge: true }) as WrittenCompose;

/** What the manifests of Kubernetes have in common. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** Fails: Error when a document is no YAML. */
export function readManifests(path: string): readonly Manifest[] {
  return parseAllDocuments(textOf(path)).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

/** Variables of our own, by their prefix. */
export const isOurs = (name: string): boolean => /^(EVERLOOP|ANTHROPIC)_/.test(name);
