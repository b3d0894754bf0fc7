// Needs: a Temporal server (started by the run), dist (npm run build).
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalAddress } from '../support/temporal';
import { NewcomerShell } from './newcomer-shell';
import { deedsOf, type Deed } from './readme';
import { freePort } from '../support/free-port';

const ROOT = join(__dirname, '..', '..');
/** What README says from the first answer on, to somebody who has no key. */
const deeds = deedsOf(join(ROOT, 'README.md'), 'A kill of your own').filter(
  ({ heading, text }) => heading !== '' && !text.includes('ANTHROPIC_API_KEY=sk-ant-'),
);

let folder: string;
let port: number;
let shell: NewcomerShell;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-newcomer-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  port = await freePort();
  const { PATH } = process.env;
  const env = { PATH, HOME: home, TMPDIR: folder, TEMPORAL_ADDRESS: temporalAddress() };
  shell = new NewcomerShell(ROOT, env, () => undefined);
});
afterAll(async () => {
  await shell.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** The port of the page may be taken here. */
const here = (deed: Deed): Deed => ({ ...deed, text: deed.text.replaceAll('7411', String(port)) });

test.each([['First answer'], ['A tool of your own'], ['A kill of your own']])(
  '"%s" of README prints what README says',
  async (heading) => {
    const done = deeds.filter((deed) => deed.heading === heading);

    for (const deed of done) await shell.perform(here(deed), { timeoutMs: 150_000 });

    expect(done.flatMap(({ prints }) => prints)).not.toEqual([]);
  },
  300_000,
);

test('the quick start has the same tool and the same prompts', () => {
  const quickStart = readFileSync(join(ROOT, 'docs', 'quick-start.md'), 'utf8');
  const prompts = deeds.flatMap(({ text }) => text.match(/^everloop -p .*$/gm) ?? []);
  const tools = deeds.filter(({ language }) => language === 'ts').map(({ text }) => text);

  expect([...prompts, ...tools].filter((text) => !quickStart.includes(text))).toEqual([]);
});
