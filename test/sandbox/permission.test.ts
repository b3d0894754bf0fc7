// Needs bubblewrap and user namespaces; else the tests of commands that run are skipped.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { decidePermission, type PermissionCall } from '../../src/permissions/decide-permission';
import { temporaryFolderOf } from '../../src/sandbox/temporary-folder';
import { call as toolUse, called, run, textOf, type Called } from '../activities/run-tool/called';
import { call, rules } from '../permissions/call';
import { sandboxTest } from './sandboxed';

describe('the permission of a command', () => {
  const npm = { command: 'npm test' };
  const decide = (rest: Partial<PermissionCall>) =>
    decidePermission(call('Bash', npm, rest)).behavior;

  test.each([
    ['default', 'allow'],
    ['acceptEdits', 'allow'],
    ['dontAsk', 'allow'],
    ['bypassPermissions', 'allow'],
    ['plan', 'deny'],
  ] as const)(
    'in the sandbox, where settings permit what runs there: mode %s, %s',
    (mode, behavior) => {
      expect(decide({ mode, sandbox: 'permits' })).toBe(behavior);
    },
  );

  test.each(['deny', 'ask'] as const)(
    'a rule that says %s is stronger than the sandbox',
    (behavior) => {
      expect(decide({ rules: rules(behavior, ['Bash(npm:*)']), sandbox: 'permits' })).toBe(
        behavior,
      );
    },
  );

  test.each([
    ['default', 'ask'],
    ['bypassPermissions', 'ask'],
    ['dontAsk', 'deny'],
  ] as const)(
    'to leave the sandbox, a person is asked, whatever is allowed: mode %s, %s',
    (mode, behavior) => {
      expect(decide({ mode, rules: rules('allow', ['Bash']), sandbox: 'left' })).toBe(behavior);
    },
  );

  test('a hook may answer in the place of that person', () => {
    expect(decide({ sandbox: 'left', hook: { behavior: 'allow', text: '' } })).toBe('allow');
  });
});

describe('a call', () => {
  let at: Called;
  afterEach(async () => {
    await rm(temporaryFolderOf(at.sessionId), { recursive: true, force: true });
    await at.close();
  });

  async function calling(input: object, sandbox: object): Promise<Called> {
    at = await called([toolUse('Bash', input)]);
    await mkdir(path.join(at.workspace, '.claude'));
    const settings = JSON.stringify({ sandbox: { enabled: true, ...sandbox } });
    await writeFile(path.join(at.workspace, '.claude', 'settings.json'), settings);
    return at;
  }

  sandboxTest('runs unasked in the sandbox that the settings of its folder switch on', async () => {
    const name = `/var/tmp/everloop-outside-${process.pid}`;
    await calling(
      {
        command: `echo a > inside; echo b > ${name}; ls ${process.env['HOME'] ?? ''} >/dev/null; true`,
      },
      {},
    );
    const worker = at.worker();

    await run(at, worker);

    expect(await textOf(at, worker)).toContain('Read-only file system');
    expect(existsSync(path.join(at.workspace, 'inside'))).toBe(true);
    expect(existsSync(name)).toBe(false);
  });

  sandboxTest(
    'reads what its session has stored for it, and nothing else of everloop',
    async () => {
      const command = 'cat "$(dirname "$PWD")/home/key"; cat "$(cat where)"; true';
      await calling({ command }, {});
      const worker = at.worker();
      const { store } = await worker.session();
      await writeFile(path.join(path.dirname(at.workspace), 'home', 'key'), 'private');
      const stored = path.join(await store.folder('tool-results'), 'stored');
      await writeFile(stored, 'a long result');
      await writeFile(path.join(at.workspace, 'where'), stored);

      await run(at, worker);

      expect(await textOf(at, worker)).toContain('a long result');
      expect(await textOf(at, worker)).not.toContain('private');
    },
  );

  sandboxTest('that wants to leave it is not made where nobody can be asked', async () => {
    await calling({ command: 'touch left', dangerouslyDisableSandbox: true }, {});
    const worker = at.worker();

    await run(at, worker, { mode: 'bypassPermissions' });

    expect(await textOf(at, worker)).toContain('wants to run this command outside of the sandbox');
    expect(existsSync(path.join(at.workspace, 'left'))).toBe(false);
  });

  sandboxTest(
    'that wants to leave it is refused where settings keep every command in',
    async () => {
      await calling(
        { command: 'touch left', dangerouslyDisableSandbox: true },
        { allowUnsandboxedCommands: false },
      );
      const worker = at.worker();

      await run(at, worker);

      expect(await textOf(at, worker)).toContain('dangerouslyDisableSandbox is off');
      expect(existsSync(path.join(at.workspace, 'left'))).toBe(false);
    },
  );
});
