// Needs: a Temporal server with its UI (started by the run) and Chromium (EVERLOOP_CHROMIUM, or the system's).
import type { Page } from 'playwright-core';
import { holdersOf } from '../../src/encryption/admission';
import { serveCodec, type CodecServer } from '../../src/encryption/codec-server';
import { openKeyRing } from '../../src/encryption/configured-keys';
import { newKeyLine } from '../../src/encryption/encryption-key';
import { createPayloadCodec } from '../../src/encryption/payload-codec';
import { withDurable, type Durable } from '../support/durable';
import { says } from '../support/replies';
import { temporalUiUrl } from '../support/temporal';
import { findChromium, withPage } from './browser';

const chromium = findChromium();
const inBrowser = chromium === undefined ? test.skip : test;

const PROMPT = 'Count the windmills.';
const TOKEN = 'token-of-readers';

inBrowser(
  'an encrypted query is clear text in the UI with the token of the codec server, and without it is not',
  () =>
    withDurable(
      { script: [says('Seven.')], env: { EVERLOOP_ENCRYPTION_KEYS: newKeyLine('key') } },
      async (durable) => {
        const id = await durable.say(PROMPT, { isLast: true });
        await durable.resultOf(id);
        const sealed = await sealedInput(durable, id);
        const codec = await serve(durable);

        try {
          await withPage(chromium ?? '', async (page) => {
            await page.goto(pageOf(durable, id));
            await seeEncrypted(page, sealed);
            await page.evaluate(chosenCodec(codec.url));
            await page.reload();
            await page.locator('#content').getByText('Codec Server could not connect').waitFor();
            await seeEncrypted(page, sealed);
            await addToken(page, codec);
            await page.reload();
            await seeClearText(page, sealed);
          });
        } finally {
          await codec.close();
        }
      },
    ),
  300_000,
);

const pageOf = (durable: Durable, id: string): string =>
  `${temporalUiUrl() ?? ''}/namespaces/default/workflows/${durable.queryHandle(id).workflowId}`;

/** Of the input, as the UI shows what it cannot read. */
async function sealedInput(durable: Durable, id: string): Promise<string> {
  const { events } = await durable.queryHandle(id).fetchHistory();
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return Buffer.from(input?.payloads?.[0]?.data ?? [])
    .toString('base64')
    .slice(0, 32);
}

/** What a person reads in the timeline. */
const SUMMARY = 'turn 1 · model';

async function seeEncrypted(page: Page, sealed: string): Promise<void> {
  await page.getByText(sealed).first().waitFor();
  await page.getByText('callModel').first().waitFor();
  expect(await page.getByText(SUMMARY).count()).toBe(0);
}

async function seeClearText(page: Page, sealed: string): Promise<void> {
  await page.getByText(SUMMARY).first().waitFor();
  expect(await page.getByText(sealed).count()).toBe(0);
  await page.getByRole('tab', { name: 'User Metadata' }).click();
  await page.locator('iframe').first().contentFrame().getByText(PROMPT).waitFor();
}

/** What its form of settings keeps. */
const chosenCodec = (endpoint: string): string => `
  localStorage.setItem('endpoint', JSON.stringify('${endpoint}'));
  localStorage.setItem('overrideRemoteCodecConfiguration', 'true');
`;

/** As a proxy before the codec server does, for those that it has let in. */
async function addToken(page: Page, { url }: CodecServer): Promise<void> {
  await page.context().route(`${url}/**`, (route) => {
    const headers = { ...route.request().headers(), authorization: `Bearer ${TOKEN}` };
    return route.continue({ headers });
  });
}

const serve = ({ config }: Durable): Promise<CodecServer> =>
  serveCodec({
    codec: createPayloadCodec(openKeyRing(config)),
    host: '127.0.0.1',
    port: 0,
    origins: [new URL(temporalUiUrl() ?? '').origin],
    admission: holdersOf(TOKEN),
    onProblem: (message) => expect(message).toBe(''),
  });
