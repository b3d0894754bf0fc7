import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCrashScript } from '../../src/crash-test/crash-script';

const EXAMPLE = join(__dirname, '..', '..', 'examples', 'crash-matrix.json');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-crash-script-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function scriptFile(content: unknown): string {
  const file = join(folder, 'script.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('the script of the crash matrix can be read', async () => {
  expect(await loadCrashScript(EXAMPLE)).toMatchObject({ effects: ['effects.log'] });
});

test('prompts and conversations are enough', async () => {
  const file = scriptFile({ prompts: ['Go.'], conversations: [{ replies: [] }] });

  expect(await loadCrashScript(file)).toMatchObject({ files: {}, effects: [], answers: [] });
});

test('a field that is wrong is named', async () => {
  const file = scriptFile({ prompts: [], conversations: [{ replies: [] }], promts: ['Go.'] });

  await expect(loadCrashScript(file)).rejects.toThrow(/no crash script[^]*promts[^]*prompts/);
});

test('a file that cannot be read is named with the reason', async () => {
  await expect(loadCrashScript(scriptFile('{'))).rejects.toThrow(/script\.json cannot be read/);
  await expect(loadCrashScript(join(folder, 'none.json'))).rejects.toThrow(/ENOENT/);
});
