import { findBubblewrap } from '../../src/sandbox/bubblewrap';
import { isAllowedDestination } from '../../src/sandbox/domain-rule';
import { confinementOf, type Sandbox, type SandboxState } from '../../src/sandbox/sandbox';
import { readSandboxSettings, type SandboxSettings } from '../../src/sandbox/sandbox-settings';
import { withoutSecrets } from '../../src/sandbox/secret-places';
import { sandboxOf, sandboxWarnings } from '../../src/sandbox/session-sandbox';
import { socketFilter } from '../../src/sandbox/socket-filter';

const PLACE = { cwd: '/project', configDir: '/home/me/.claude', homeFolder: '/home/me' };
const NOWHERE = {
  ...{ roots: [], readable: [], temporary: '/tmp/t', home: '/home/me/.everloop' },
  ...{ userHome: '/home/me', configDir: PLACE.configDir },
};

type Source = 'managed' | 'cli' | 'local' | 'project' | 'user';

function settingsOf(...blocks: readonly (readonly [Source, object])[]): SandboxSettings {
  const layers = blocks.map(([source, sandbox]) => ({ source, file: null, raw: { sandbox } }));
  return readSandboxSettings(layers, PLACE);
}

const on = (block: object): SandboxState => {
  const settings = settingsOf(['user', { enabled: true, ...block }]);
  const sandbox: Sandbox = { program: '/usr/bin/bwrap', settings, places: NOWHERE, launcher: [] };
  return { type: 'on', sandbox };
};

describe('settings', () => {
  test('of a single value the strongest file counts, and lists are joined', () => {
    const settings = settingsOf(
      ['local', { enabled: false, network: { allowedDomains: ['a.com'] } }],
      ['user', { enabled: true, network: { allowedDomains: ['b.com'], httpProxyPort: 8080 } }],
    );

    expect(settings.enabled).toBe(false);
    expect(settings.network).toMatchObject({
      allowedDomains: ['a.com', 'b.com'],
      httpProxyPort: 8080,
    });
  });

  test('paths begin at the root, at home, at the project, or at the folder of the user settings', () => {
    const allowWrite = ['/abs', '//abs2', '~/home', './here', 'plain'];

    const { filesystem } = settingsOf(
      ['project', { filesystem: { allowWrite } }],
      ['user', { filesystem: { allowWrite: ['own'] } }],
    );

    expect(filesystem.allowWrite).toEqual([
      ...['/abs', '/abs2', '/home/me/home', '/project/here', '/project/plain'],
      '/home/me/.claude/own',
    ]);
  });

  test('an organisation can be the only one that names domains and readable paths', () => {
    const { network, filesystem } = settingsOf(
      [
        'managed',
        {
          network: { allowManagedDomainsOnly: true, allowedDomains: ['a.com'] },
          filesystem: { allowManagedReadPathsOnly: true, allowRead: ['/a'] },
        },
      ],
      [
        'user',
        {
          network: { allowedDomains: ['b.com'], deniedDomains: ['c.com'] },
          filesystem: { allowRead: ['/b'] },
        },
      ],
    );

    expect(network).toMatchObject({ allowedDomains: ['a.com'], deniedDomains: ['c.com'] });
    expect(filesystem.allowRead).toEqual(['/a']);
  });

  test('a value of the wrong kind is named with its place and the cure', () => {
    const text = '{\n  "sandbox": {\n    "network": { "httpProxyPort": 99999 }\n  }\n}';
    const layer = {
      source: 'user',
      file: '/s.json',
      raw: JSON.parse(text) as Record<string, unknown>,
      text,
    };

    expect(() => readSandboxSettings([layer], PLACE)).toThrow(
      'Settings file /s.json: line 3: sandbox.network.httpProxyPort is 99999: it must be a port. Correct or remove it.',
    );
  });

  test('a sandbox that nobody has switched on permits nothing', () => {
    expect(settingsOf().autoAllow).toBe(false);
    expect(settingsOf(['user', { enabled: true }]).autoAllow).toBe(true);
    expect(settingsOf(['user', { enabled: true, autoAllowBashIfSandboxed: false }]).autoAllow).toBe(
      false,
    );
  });
});

describe('which command is kept in', () => {
  const of = (state: SandboxState, command: string, wantsOut = false) =>
    confinementOf(state, { command, wantsOut }).type;

  test.each([
    ['docker ps', 'free'],
    ['docker', 'free'],
    ['docker ps && docker images', 'free'],
    ['npm run deploy --now', 'free'],
    ['npm run build', 'confined'],
    ['dockerize', 'confined'],
    ['docker ps && curl example.com', 'confined'],
    ['docker ps $(curl example.com)', 'confined'],
    ['docker ps > file', 'confined'],
    ['curl example.com # docker', 'confined'],
    ['PATH=. docker ps', 'confined'],
  ])('%s: %s', (command, expected) => {
    expect(of(on({ excludedCommands: ['docker *', 'docker', 'npm run deploy:*'] }), command)).toBe(
      expected,
    );
  });

  test('an entry that would fit everything excludes nothing', () => {
    expect(of(on({ excludedCommands: ['*', ' ', ':*'] }), 'ls')).toBe('confined');
  });

  test('the model may ask to run outside, unless settings keep every command in', () => {
    expect(confinementOf(on({}), { command: 'ls', wantsOut: true })).toEqual({
      type: 'free',
      isAsked: true,
    });
    expect(of(on({ allowUnsandboxedCommands: false }), 'ls', true)).toBe('refused');
    expect(confinementOf({ type: 'off' }, { command: 'ls', wantsOut: true })).toEqual({
      type: 'free',
      isAsked: false,
    });
  });

  test('where there is none, commands run without it, or not at all if settings say so', () => {
    expect(of({ type: 'unavailable', message: 'none', refuses: false }, 'ls')).toBe('free');
    expect(of({ type: 'unavailable', message: 'none', refuses: true }, 'ls')).toBe('refused');
  });
});

describe('where there is no bubblewrap', () => {
  const request = { rules: [], places: NOWHERE, searchPath: '/nowhere' };

  test('what failed, the value seen and the cure are told', async () => {
    const found = await findBubblewrap('/nowhere', false);

    expect(found).toMatchObject({ type: 'missing' });
    if (process.platform !== 'linux') return;
    expect(found).toMatchObject({
      detail: 'bwrap is not on the path (/nowhere)',
      cure: expect.stringContaining('apt install bubblewrap') as string,
    });
  });

  test.each([
    [{}, false, 'off'],
    [{}, true, 'unavailable'],
    [{ enabled: false }, true, 'off'],
    [{ enabled: true }, false, 'unavailable'],
  ])('settings %j, in the background: %s → %s', async (block, isBackground, type) => {
    const settings = settingsOf(['user', block]);

    const state = await sandboxOf({ ...request, settings, isBackground });
    const warnings = await sandboxWarnings({ ...request, settings, isBackground });

    expect(state.type).toBe(type);
    expect(warnings).toHaveLength(type === 'off' ? 0 : 1);
  });

  test('failIfUnavailable refuses commands, and says so before', async () => {
    const settings = settingsOf(['user', { enabled: true, failIfUnavailable: true }]);

    const state = await sandboxOf({ ...request, settings, isBackground: false });
    const [warning] = await sandboxWarnings({ ...request, settings, isBackground: false });

    expect(state).toMatchObject({ type: 'unavailable', refuses: true });
    expect(warning).toContain('Bash and MCP servers are refused');
  });
});

describe('domains', () => {
  const lists = {
    allowedDomains: ['example.com', '*.example.org', 'port.com:8443', '[::1]:80'],
    deniedDomains: ['bad.example.org'],
  };

  test.each([
    ['example.com', 443, true],
    ['EXAMPLE.COM.', 80, true],
    ['www.example.com', 443, false],
    ['a.b.example.org', 443, true],
    ['example.org', 443, false],
    ['evilexample.org', 443, false],
    ['bad.example.org', 443, false],
    ['port.com', 8443, true],
    ['port.com', 443, false],
    ['::1', 80, true],
    ['::1', 81, false],
    ['example.com.evil.net', 443, false],
  ])('%s:%i is allowed: %s', (host, port, isAllowed) => {
    expect(isAllowedDestination({ host, port }, lists)).toBe(isAllowed);
  });
});

test.each([
  ['GITHUB_TOKEN', false],
  ['AWS_SECRET_ACCESS_KEY', false],
  ['AWS_ACCESS_KEY_ID', false],
  ['OPENAI_API_KEY', false],
  ['DB_PASSWORD', false],
  ['SSH_AUTH_SOCK', false],
  ['PATH', true],
  ['TOKENIZERS_PARALLELISM', true],
  ['KEYBOARD', true],
  ['GIT_AUTHOR_NAME', true],
])('a command inside inherits %s: %s', (name, isInherited) => {
  expect(name in withoutSecrets({ [name]: 'x' })).toBe(isInherited);
});

test('the filter is whole instructions, on machines whose numbers are known', () => {
  expect(socketFilter('x64')!.length % 8).toBe(0);
  expect(socketFilter('arm64')!.length).toBe(socketFilter('x64')!.length);
  expect(socketFilter('mips')).toBeUndefined();
});
