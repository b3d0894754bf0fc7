import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PEERS = join(__dirname, '..', 'peers');

/** The folder of a peer's program. */
export const folderOf = (peer: string): string => join(PEERS, peer);

/** `name version` of the packages named, as the peer's package.json pins them. */
export function versionsOf(peer: string, names: readonly string[]): string {
  const text = readFileSync(join(folderOf(peer), 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return names.map((name) => `${name} ${dependencies[name] ?? '?'}`).join(', ');
}

/** Installs a peer's packages beside its program, where they are not yet. No script of theirs is run: none of the
 *  peers needs one.
 *  Fails: Error with what npm said. */
export async function installPeer(peer: string, log: (line: string) => void): Promise<void> {
  const cwd = folderOf(peer);
  if (existsSync(join(cwd, 'node_modules'))) return;
  log(`${peer}: installing its packages ...`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const npm = spawn('npm', ['install', ...flags], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  const [code] = (await once(npm, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm install in ${cwd} failed:\n${said}`);
}
