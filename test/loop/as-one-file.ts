import { readdirSync } from 'node:fs';
import { join } from 'node:path';

// Mutation runs load every test of the loop as one file: a mutant then costs one set of modules instead of forty.
// Properties stay out: they take nearly all of the time, and their inputs differ from run to run. So does the test
// that changes the source itself.
const LEFT_OUT = /(properties|table-cells)\.test\.ts$/;

for (const name of readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).sort()) {
  if (name.endsWith('.test.ts') && !LEFT_OUT.test(name)) jest.requireActual(join(__dirname, name));
}
