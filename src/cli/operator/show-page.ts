import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadOwnPrices } from '../../prices/own-prices';
import type { SessionFacts } from '../../session-page/facts';
import { PAGE_MARK, sessionPage } from '../../session-page/page';
import { readFacts } from '../../session-page/read-facts';
import { ShownWords } from '../../session-page/shown-words';
import { errorCode } from '../../tools/error-code';
import type { SessionStore } from '../../transcript/store';
import type { UiDetail } from '../../visibility/ui-detail';
import { CliError, messageOf } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import type { SessionHost } from '../session-host';
import { findStore } from './find-store';
import type { PageChoice } from './reading-commands';
import { selectStored } from './select-sessions';

export interface PageWorld {
  readonly host: SessionHost;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Relative paths begin there. */
  readonly folder: string;
}

/** Writes a picture of a session, and says where. The server is asked what it still knows; the page can do without.
 *  Fails: CliError when the selector names no session, or several, or the file cannot be written. */
export async function showPage(
  selector: string,
  { output, force }: PageChoice,
  { host, stdout, stderr, folder }: PageWorld,
): Promise<number> {
  const session = await findSession(selector, host);
  const facts = await readFacts(session, {
    connect: () => host.connect(),
    prices: loadOwnPrices(host.config.home),
    nowMs: Date.now(),
  });
  const words = new ShownWords(host.config.uiDetail, await detailsOf(session, facts));
  const page = sessionPage(facts, words);
  if (facts.history.type === 'away') {
    await stderr.write(`The page is without what only the server knows: ${facts.history.reason}\n`);
  }
  if (output === '-') {
    await stdout.write(page);
    return 0;
  }
  const file = path.resolve(folder, output ?? `everloop-${facts.sessionId.slice(0, 8)}.html`);
  await writePage(file, page, force);
  await stdout.write(`${file}\n`);
  return 0;
}

/** Without a server, unless the selector asks for one. */
async function findSession(selector: string, host: SessionHost): Promise<SessionStore> {
  if (/[\s=<>(]/.test(selector.trim())) return findStore(host, selector);
  const { sessionId } = await selectStored(selector, host.store);
  return findStore(host, sessionId);
}

/** How much people may see of what each message said, as its sender wanted it. */
async function detailsOf(
  session: SessionStore,
  { queries }: SessionFacts,
): Promise<ReadonlyMap<string, UiDetail>> {
  const details = new Map<string, UiDetail>();
  for (const { promptId } of queries) {
    const message = await session.findMessage(promptId);
    const detail = message?.options.uiDetail;
    if (detail !== undefined) details.set(promptId, detail);
  }
  return details;
}

/** Only the owner may read it: it holds excerpts of a conversation. A page that is there is replaced. */
async function writePage(file: string, page: string, force: boolean): Promise<void> {
  try {
    if (!force && !(await isPageOrNothing(file))) {
      throw new CliError(
        `${file} is there and is no page of a session. Replace it with --force, or choose another: --output FILE.`,
      );
    }
    await writeFile(file, page, { mode: 0o600 });
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      `${file} cannot be written: ${messageOf(error)}. Choose another place: --output FILE.`,
    );
  }
}

const LOOKED_AT_CHARS = 500;

async function isPageOrNothing(file: string): Promise<boolean> {
  try {
    return (await readFile(file, 'utf8')).slice(0, LOOKED_AT_CHARS).includes(PAGE_MARK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}
