import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCrashScript } from '../../src/crash-test/crash-script';
import { parseServer } from '../../src/mcp/server-config';
import { loadOwnPrices, pricesFile } from '../../src/prices/own-prices';
import { loadSettings } from '../../src/settings/settings';
import type { ApprovalKind } from '../../src/workflows/approval';
import { readApproval } from '../../src/workflows/read-approval';
import type { Snippet } from './snippet';

type Reader = NonNullable<Snippet['remarks']['reader']>;
/** Fails: as the product does, or with what it would warn of. */
type Read = (text: string, folder: string) => Promise<unknown>;

const approval =
  (kind: ApprovalKind): Read =>
  async (text) =>
    readApproval(kind, JSON.parse(text));

const READERS: Readonly<Record<Reader, Read>> = {
  async settings(text, folder) {
    const { warnings } = await loadSettings({ cwd: folder, configDir: folder, cli: text });
    if (warnings.length > 0) throw new Error(warnings.join('\n'));
  },
  async prices(text, folder) {
    writeFileSync(pricesFile(folder), text);
    loadOwnPrices(folder);
  },
  approve: approval('approve'),
  deny: approval('deny'),
  answer: approval('answer'),
  async 'crash-test'(text, folder) {
    const file = join(folder, 'script.json');
    writeFileSync(file, text);
    await loadCrashScript(file);
  },
  async mcp(text) {
    const { mcpServers } = JSON.parse(text) as { readonly mcpServers: Record<string, unknown> };
    for (const [name, server] of Object.entries(mcpServers)) parseServer(server, name);
  },
};

/** The reader of the product takes it. Fails: as it does. */
export async function readAs(reader: Reader, text: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everloop-reader-'));
  try {
    await READERS[reader](text, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
