import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WORD = '\u001f';
const COMMAND = '\u001e';
const TIMEOUT_MS = 20_000;

/** Nothing is on the path, so that each command ends in the handler, which writes its words down. */
const NOTHING_RUNS = `
PATH=/nowhere
command_not_found_handle() { local words; printf -v words '%s\\037' "$@"; printf '%s\\036' "$words" >&3; }
for name in cd exec kill source . wait read trap; do eval "$name() { :; }"; done
`;

/** The simple commands of a shell text, each as its words: the shell itself reads them, and none is run.
 *  Fails: Error when it is no shell text. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const folder = mkdtempSync(join(tmpdir(), 'everloop-words-'));
  try {
    const { output, status } = spawnSync('/bin/bash', ['-c', `${NOTHING_RUNS}${text}\n:`], {
      cwd: folder,
      env: { HOME: folder },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`No shell text (${String(status)}): ${output[2] ?? ''}`);
    const commands = (output[3] ?? '').split(COMMAND).slice(0, -1);
    return commands.map((command) => command.split(WORD).slice(0, -1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
