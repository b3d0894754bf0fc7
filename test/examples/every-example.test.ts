import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES } from './run-example';

const names = readdirSync(EXAMPLES).filter((name) => /\.(ts|json)$/.test(name));
const page = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
const tests = ['.', '../crash-test'].flatMap((folder) => {
  const place = path.join(__dirname, folder);
  return readdirSync(place)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(place, name), 'utf8'));
});

/** Its commands are run as a newcomer would. */
const readme = readFileSync(path.join(EXAMPLES, '..', 'README.md'), 'utf8');

test.each(names)('%s is run by a test', (name) => {
  const called = `'${name.replace(/\.ts$/, '')}'`;

  const isCalled = tests.some((source) => source.includes(called));
  expect(isCalled || readme.includes(`scripted-model examples/${name}`)).toBe(true);
});

test.each(names)('%s is on the page of the examples', (name) => {
  expect(page).toContain(`(${name})`);
});

test.each(names.filter((name) => name.endsWith('.ts')))('%s says how to run it', (name) => {
  const source = readFileSync(path.join(EXAMPLES, name), 'utf8');

  expect(source).toContain(`\n *  Run: npx tsx examples/${name}`);
});
