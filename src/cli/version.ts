import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Version of the package that this file is part of, built or not. */
export function readVersion(): string {
  const file = path.join(__dirname, '..', '..', 'package.json');
  const { version } = fromPackage(JSON.parse(readFileSync(file, 'utf8')));
  return version;
}

function fromPackage(json: unknown): { readonly version: string } {
  return json as { version: string };
}
