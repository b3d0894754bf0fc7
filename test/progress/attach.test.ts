// Needs: a Temporal server (started by the run), a build, a pty.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls, heldCommand, says } from '../support/replies';
import { LAUNCHER, withTerminals, type PtyWorld } from '../terminal/pty-world';

const ANSWER = 'It went.';
const SCRIPT = [calls(heldCommand()), says(ANSWER)];

/** As a script runs it: no terminal anywhere. Resolves to all that it printed. */
function piped({ project, environment }: PtyWorld, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(LAUNCHER, args, { cwd: project, env: environment }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

test('-p and attach show on one line what a session waits for and what runs, and then the answer alone', () =>
  withTerminals({ script: SCRIPT }, async (world) => {
    const id = randomUUID();
    const asks = ['--permission-mode', 'default', '--permission-prompt-tool', 'people'];
    const asked = world.open(['-p', '--session-id', id, ...asks, 'Wait for it.']);
    await asked.shows('waits for approval: Bash echo');
    const attached = world.open(['attach', id]);
    const json = world.open(['attach', id, '--output-format', 'json']);
    const script = piped(world, 'attach', id);
    await attached.shows('waits for approval: Bash echo');
    await attached.shows(`everloop approve ${id.slice(0, 8)}`);

    await piped(world, 'approve', id, '--all');
    for (const terminal of [asked, attached]) {
      await terminal.shows(/^turn 1 · \d+s Bash echo/m);
      expect(terminal.text).not.toContain('waits for approval');
    }
    writeFileSync(join(world.project, 'go'), '');

    for (const terminal of [asked, attached]) {
      await terminal.ended;
      await terminal.shows(ANSWER);
      // A busy machine may have had warnings to print above.
      expect(terminal.text.split('\n').at(-1)).toBe(ANSWER);
      expect(terminal.text).not.toMatch(/^turn \d/m);
    }
    await json.ended;
    await json.shows('"type":"result"');
    expect(json.raw).not.toContain('\x1b');
    expect(await script).toMatch(/^It went.\n$/m);
    expect(await script).not.toMatch(/\x1b|^turn \d/m);
  }));
