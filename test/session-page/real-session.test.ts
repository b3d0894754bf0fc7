// Needs: a Temporal server (started by the run); starts a Worker process and kills it. With Chromium (EVERLOOP_CHROMIUM,
// or the system's) the page is opened; EVERLOOP_SCREENSHOTS names a folder for pictures of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { showPage } from '../../src/cli/operator/show-page';
import { OutputStream } from '../../src/cli/output/output-stream';
import type { SessionHost } from '../../src/cli/session-host';
import { WrittenText } from '../support/fake-surroundings';
import { hostOf } from '../support/operator-world';
import { findChromium, withPage } from '../ui/browser';
import { PROMPT, SECRET, withBusySession } from './busy-session';

const chromium = findChromium();
const inBrowser = chromium === undefined ? test.skip : test;

interface Shown {
  readonly page: string;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let sessionId: string;
let whole: Shown;
let withoutServer: Shown;
let namesOnly: Shown;
/** What was said about a file of somebody else. */
let refused: string;

async function show(host: SessionHost, output: string): Promise<Shown> {
  const [stdout, stderr] = [new WrittenText(), new WrittenText()];
  const world = {
    stdout: new OutputStream(stdout.stream),
    stderr: new OutputStream(stderr.stream),
  };
  await showPage(sessionId, { output, force: false }, { ...world, host, folder });
  const page = readFileSync(join(folder, output), 'utf8');
  return { page, stdout: stdout.text, stderr: stderr.text };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-page-'));
  await withBusySession(async (durable) => {
    sessionId = durable.sessionId;
    const host = hostOf(durable);
    const away = async (): Promise<never> => {
      throw new Error('No Temporal server answers at 127.0.0.1:1.');
    };
    whole = await show(host, 'whole.html');
    withoutServer = await show({ ...host, connect: away }, 'without-server.html');
    const config = { ...durable.config, uiDetail: 'names' as const };
    writeFileSync(join(folder, 'names.html'), whole.page);
    namesOnly = await show({ ...host, config }, 'names.html');
    writeFileSync(join(folder, 'mine.html'), 'mine');
    refused = await show(host, 'mine.html').then(
      () => 'It was replaced.',
      (error: unknown) => String(error),
    );
  });
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Titles of bars: all that is told of them. */
const titlesIn = (page: string): readonly string[] =>
  [...page.matchAll(/class="bar [^>]*?\stitle="([^"]*)"/g)].map(([, title = '']) => title);

test('a page tells of calls, sub-agents, retries, waits, and the Worker that took over', () => {
  const titles = titlesIn(whole.page).join('\n');

  expect(whole.stdout).toBe(`${join(folder, 'whole.html')}\n`);
  expect(whole.page).toContain(`<h1>${PROMPT}</h1>`);
  expect(titles).toMatch(/turn 1 · Grep price · ok/);
  expect(titles).toMatch(/Agent general-purpose: read the tests · ok/);
  expect(titles).toMatch(/turn 3 · model failed .*529/);
  expect(titles).toMatch(/run-tests\.sh · ok · .* · 2 attempts \(.+\) · ended by Worker w-/);
  expect(titles).toMatch(/^Worker w-\w+$/m);
  expect(titles).toMatch(/touch released · ok · .* · waited .* for approval, allowed by ada/);
  expect(titles).toMatch(/exit 3 # TOKEN=\[redacted\] · error/);
  expect(whole.page).not.toContain(SECRET);
});

test('without a server a page shows what the store has, and says what is missing', () => {
  const titles = titlesIn(withoutServer.page).join('\n');

  expect(withoutServer.page).toContain('The Temporal server could not be asked');
  expect(withoutServer.stderr).toContain('No Temporal server answers');
  expect(titles).toMatch(/turn 1 · Grep price · ok/);
  expect(titles).toMatch(/waited .* for approval, allowed by ada/);
  expect(titles).not.toMatch(/Worker w-/);
});

test('a page shows no more words than the Temporal UI may', () => {
  const { page } = namesOnly;

  expect(page).toContain(`<h1>Session ${sessionId.slice(0, 8)}</h1>`);
  expect(titlesIn(page).join('\n')).toMatch(/turn 1 · Grep · ok/);
  for (const said of [PROMPT, 'run-tests', 'read the tests', 'look around', 'Exit code']) {
    expect(page).not.toContain(said);
  }
});

test('a file that is no page is not replaced, an older page is', () => {
  expect(refused).toMatch(/mine\.html is there and is no page of a session.*--force/);
  expect(readFileSync(join(folder, 'mine.html'), 'utf8')).toBe('mine');
  expect(namesOnly.stdout).toBe(`${join(folder, 'names.html')}\n`);
});

inBrowser(
  'in a browser the page asks nobody for anything, and work that overlapped is seen side by side',
  () =>
    withPage(chromium ?? '', async (page) => {
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.route('file://**', (route) => route.continue());
      const url = pathToFileURL(join(folder, 'whole.html')).href;
      await page.goto(url);

      const agents = page.locator('a.bar.agent');
      const [one, other] = [await agents.nth(0).boundingBox(), await agents.nth(1).boundingBox()];
      expect(one!.x).toBeLessThan(other!.x + other!.width);
      expect(other!.x).toBeLessThan(one!.x + one!.width);
      expect(one!.y).not.toBe(other!.y);
      await picture(page, 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await picture(page, 'dark');
      await page.locator('details[open] > summary').first().click();
      await page.getByLabel(/run-tests\.sh · ok/).click();
      await page.locator('tr:target').getByText('./run-tests.sh').waitFor({ state: 'visible' });
      expect(complaints).toEqual([]);
      expect(asked.filter((one) => !one.startsWith('data:'))).toEqual([url]);
    }),
  180_000,
);

async function picture(page: Page, name: string): Promise<void> {
  const screenshots = process.env['EVERLOOP_SCREENSHOTS'];
  if (!screenshots) return;
  writeFileSync(join(screenshots, 'session-page.html'), whole.page);
  await page.screenshot({ path: join(screenshots, `session-page-${name}.png`), fullPage: true });
}
