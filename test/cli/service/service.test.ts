import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputStream } from '../../../src/cli/output/output-stream';
import { service } from '../../../src/cli/service/service';
import { serviceManagerOf, type Words } from '../../../src/cli/service/service-manager';
import { toServiceRun } from '../../../src/cli/service/service-run';
import { PassThrough } from 'node:stream';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'everloop-service-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const environment = {
  PATH: '/usr/bin',
  ANTHROPIC_API_KEY: 'sk-secret',
  TEMPORAL_API_KEY: 'also-secret',
  ANTHROPIC_MODEL: 'a $50 "model" at 100%',
  HOME: '/home/somebody',
};

function given(platform: NodeJS.Platform, said: string | null = null) {
  const config = {
    home: join(folder, '.everloop'),
    userHome: folder,
    baseUrl: 'http://127.0.0.1:1',
  };
  const run = toServiceRun(config, environment);
  const manager = serviceManagerOf(platform, run, {
    home: folder,
    uid: 501,
    configFolder: join(folder, '.config'),
  });
  if (manager === undefined) throw new Error(`No service manager for ${platform}.`);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const ran: string[] = [];
  const text = (stream: PassThrough): string => String(stream.read() ?? '');
  return {
    manager,
    ran,
    out: () => text(stdout),
    err: () => text(stderr),
    deps: {
      stdout: new OutputStream(stdout),
      stderr: new OutputStream(stderr),
      manager,
      secretsFile: run.secretsFile,
      run: async (words: Words) => {
        ran.push(words.join(' '));
        return said;
      },
      isServing: async () => ({ worker: true, server: false }),
    },
  };
}

const install = { type: 'service', action: 'install', print: false } as const;

test('install writes the unit, enables it and starts it', async () => {
  const { deps, manager, ran, out } = given('linux');

  const code = await service(install, deps);

  expect(code).toBe(0);
  expect(readFileSync(manager.unitFile, 'utf8')).toBe(manager.unitText);
  expect(manager.unitFile).toBe(join(folder, '.config/systemd/user/everloop.service'));
  expect(ran).toEqual([
    'systemctl --user daemon-reload',
    'systemctl --user enable everloop.service',
    'systemctl --user restart everloop.service',
  ]);
  expect(out()).toContain('loginctl enable-linger');
});

test('a unit holds no credential; they are read from a file that only the user can read', async () => {
  const { deps, manager } = given('linux');

  await service(install, deps);

  expect(manager.unitText).not.toContain('secret');
  expect(manager.unitText).toContain(`--env-file=${deps.secretsFile}`);
  expect(statSync(deps.secretsFile).mode & 0o777).toBe(0o600);
});

test('what systemd would expand is escaped, and commands of tools outlive the service', () => {
  const { unitText } = given('linux').manager;

  expect(unitText).toContain('"ANTHROPIC_MODEL=a $50 \\"model\\" at 100%%"');
  expect(unitText).toContain('KillMode=process');
});

test('without a service manager the unit is written, and the cure is told', async () => {
  const { deps, manager, err } = given('linux', 'Failed to connect to bus');

  const code = await service(install, deps);

  expect(code).toBe(1);
  expect(existsSync(manager.unitFile)).toBe(true);
  const said = err();
  expect(said).toContain('systemctl --user daemon-reload: Failed to connect to bus');
  expect(said).toContain('Until then: everloop worker');
});

test('--print shows the unit and changes nothing', async () => {
  const { deps, manager, ran, out } = given('darwin');

  const code = await service({ ...install, print: true }, deps);

  expect(code).toBe(0);
  expect(out()).toBe(manager.unitText);
  expect(manager.unitText).toContain('<string>a $50 &quot;model&quot; at 100%</string>');
  expect(ran).toEqual([]);
  expect(existsSync(manager.unitFile)).toBe(false);
});

test('launchd is told to forget the agent that it had before it gets the new one', async () => {
  const { deps, ran, manager } = given('darwin');

  await service(install, deps);
  await service(install, deps);

  expect(ran).toEqual([
    `launchctl bootstrap gui/501 ${manager.unitFile}`,
    'launchctl bootout gui/501/everloop',
    `launchctl bootstrap gui/501 ${manager.unitFile}`,
  ]);
});

test('uninstall stops the service, removes the unit and leaves the credentials', async () => {
  const { deps, manager, ran } = given('linux');
  await service(install, deps);
  ran.length = 0;

  const code = await service({ ...install, action: 'uninstall' }, deps);

  expect(code).toBe(0);
  expect(ran).toEqual(['systemctl --user disable --now everloop.service']);
  expect(existsSync(manager.unitFile)).toBe(false);
  expect(existsSync(deps.secretsFile)).toBe(true);
});

test('status tells what is installed, what runs and who answers', async () => {
  const { deps, out } = given('linux');

  const code = await service({ ...install, action: 'status' }, deps);

  expect(code).toBe(1);
  expect(out()).toBe(
    'Service: not installed (everloop service install)\nBackground Worker of this environment: answers\nServer: does not answer\n',
  );
});

test('another home has a service of its own', () => {
  const run = toServiceRun(
    { home: '/data/agents', userHome: folder, baseUrl: 'http://127.0.0.1:1' },
    environment,
  );

  expect(run.name).toMatch(/^everloop-[0-9a-f]{8}$/);
  expect(run.environment).toMatchObject({ EVERLOOP_HOME: '/data/agents', PATH: '/usr/bin' });
});
