// Needs: a Temporal server (started by the run), and the right to mount a small file system (else skipped).
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTrouble, type Trouble } from '../../../src/client/session-trouble';
import type { Script } from '../../../src/scripted-model/script';
import { withDurable, type Durable } from '../../support/durable';
import { call, calls, fileIn, heldCommand, says } from '../../support/replies';

const mount = (...args: readonly string[]): unknown =>
  execFileSync('mount', args, { stdio: 'ignore' });
const unmount = (folder: string): unknown =>
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' });

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'everloop-mount-'));
  try {
    mount('-t', 'tmpfs', 'tmpfs', folder);
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A session whose home lies on a disk of four megabytes. Its project lies elsewhere. */
async function onSmallDisk(
  script: Script,
  act: (durable: Durable, disk: string) => Promise<void>,
): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-disk-')));
  const [disk, project] = [join(root, 'disk'), join(root, 'project')];
  mkdirSync(disk);
  mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);
  try {
    await withDurable({ ...script, project, disk }, (durable) => act(durable, disk));
  } finally {
    unmount(disk);
    rmSync(root, { recursive: true });
  }
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (;;) writeSync(fd, Buffer.alloc(4_096, 'x'));
  } catch {
    // Full.
  } finally {
    closeSync(fd);
  }
}

async function troubleOf({ client, sessionWorkflowId }: Durable): Promise<Trouble> {
  for (;;) {
    const trouble = await findTrouble(client, [sessionWorkflowId]);
    if (trouble !== null) return trouble;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

(canMount() ? describe : describe.skip)('a disk that is', () => {
  test('full: the session says what to do, and loses nothing once there is room again', () =>
    onSmallDisk(
      {
        match: 'conversation',
        script: [
          calls(heldCommand()),
          calls(call('Bash', { command: 'echo more' })),
          says('Done.'),
        ],
      },
      async (durable, disk) => {
        const id = await durable.say('Work.');
        await fileIn(durable.project, 'started');
        const ballast = join(disk, 'ballast');
        fill(ballast);
        writeFileSync(join(durable.project, 'go'), '');

        expect(await troubleOf(durable)).toMatchObject({
          type: 'retrying',
          message: expect.stringContaining('Free space on that disk') as string,
        });
        await expect(durable.say('Another.')).rejects.toThrow('Free space on that disk');
        rmSync(ballast);

        expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
        expect(JSON.stringify(await durable.transcript())).toMatch(
          /runs.*tool_result.*echo more.*tool_result.*Done/,
        );
        expect(durable.model.repeats).toBeLessThanOrEqual(1);
      },
    ));

  test('read-only: a message is refused with a cure, and accepted when it is writable again', () =>
    onSmallDisk({ script: [says('Hello.')] }, async (durable) => {
      mount('--bind', durable.home, durable.home);
      mount('-o', 'remount,bind,ro', durable.home);
      const refused: unknown = await durable.say('Hi.').catch((error: unknown) => error);
      unmount(durable.home);

      expect(refused).toMatchObject({
        message: expect.stringContaining('Make the file and its folder writable') as string,
      });

      expect(await durable.ask('Hi.')).toMatchObject({ result: 'Hello.' });
    }));
});
