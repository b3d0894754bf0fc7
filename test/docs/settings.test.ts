import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_VARIABLES } from '../../src/config';
import { SETTINGS_KEYS, type KeyUse } from '../../src/settings/settings-key';

const page = readFileSync(path.join(__dirname, '../../docs/settings.md'), 'utf8');

const sectionOf = (title: string): string =>
  (page.split(`## ${title}\n`)[1] ?? '').split('\n## ')[0] ?? '';
const keysOf = (use: KeyUse): readonly string[] =>
  Object.keys(SETTINGS_KEYS)
    .filter((key) => SETTINGS_KEYS[key] === use)
    .sort();

test('the page has a row for each key that is honoured, and for no other', () => {
  const rows = [...sectionOf('Keys that are honoured').matchAll(/^\| `([^`]+)`/gm)];

  expect(rows.map(([, key]) => key)).toEqual(keysOf('honoured'));
});

test.each([
  ['Keys that are about looks', 'display'],
  ['Keys that are missing', 'missing'],
] as const)('%s are all on the page', (title, use) => {
  const [, list = ''] = sectionOf(title).split(': ');

  expect([...list.matchAll(/`([^`]+)`/g)].map(([, key]) => key)).toEqual(keysOf(use));
});

test('the page has a row with the default of each variable that is read', () => {
  const rows = [...sectionOf('Variables').matchAll(/^\| `([A-Z_]+)` +\| (\S+)/gm)];

  expect(rows.map(([, name, fallback = '']) => [name, fallback.replaceAll('`', '')])).toEqual(
    CONFIG_VARIABLES.map(({ name, fallback }) => [name, fallback ?? '–']),
  );
});
