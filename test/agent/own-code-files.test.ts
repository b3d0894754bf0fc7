import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnCodeFiles } from '../../src/agent/own-code-files';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'everloop-own-code-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const codeOf = (...files: string[]) =>
  new OwnCodeFiles({ files, cwd: folder, cacheFolder: join(folder, '.cache') });

/** As a file of somebody's; `defineTool` fills in the rest. */
const toolText = (name: string): string =>
  `{ name: '${name}', aliases: [], description: '', call: async () => null, isConcurrencySafe: () => false }`;

test('a folder without a config brings nothing', async () => {
  expect(await codeOf().of(folder)).toEqual({ tools: [], agents: [], hooks: {} });
});

test('TypeScript is understood, and a file that changes is loaded anew', async () => {
  write('name.ts', `export const name: string = 'One';`);
  const text = `import { name } from './name';\nexport const tool = ${toolText('X')};\ntool.name = name;\n`;
  write('everloop.config.ts', text);
  const code = codeOf();
  const first = await code.of(folder);
  write('name.ts', `export const name: string = 'Two';`);
  write('everloop.config.ts', `${text}\n// changed\n`);

  const second = await code.of(folder);

  expect([...first.tools, ...second.tools].map(({ name }) => name)).toEqual(['One', 'Two']);
});

test('the folder’s config stands over the files that were named', async () => {
  write('mine.js', `exports.tools = [${toolText('A')}, ${toolText('B')}];`);
  write('everloop.config.mjs', `export default { tools: [${toolText('B')}] };`);

  const { tools } = await codeOf('mine.js').of(folder);

  expect(tools.map(({ name }) => name)).toEqual(['A', 'B']);
});

test.each<[string, string, RegExp]>([
  ['wrong syntax', 'export const = 1;', /everloop.config.ts cannot be loaded: .*config.ts:1:\d+/],
  [
    'a package that is not there',
    `import 'no-such-one';`,
    /package no-such-one.*npm install no-such-one/,
  ],
  ['a file that is not there', `import './gone';`, /imports \S*gone, which does not exist/],
  ['a throw', `const a: any = null;\na.b();`, /Cannot read.*config.ts:2:\d+.*Correct it/],
])('a config with %s names file, place and cure', async (_what, text, message) => {
  write('everloop.config.ts', text);

  await expect(codeOf().of(folder)).rejects.toThrow(message);
});

test('a file that was named and is not there is refused before anything starts', async () => {
  await expect(codeOf('gone.ts').check()).rejects.toThrow(/There is no file .*gone.ts/);
});
