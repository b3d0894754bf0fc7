import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { CONFIG_VARIABLES, ConfigError, loadConfig, Secret } from '../src/config';

test('an empty environment gives the documented defaults', () => {
  expect(loadConfig({}, '/home/ann')).toEqual({
    userHome: '/home/ann',
    home: '/home/ann/.everloop',
    configDir: '/home/ann/.claude',
    host: hostname(),
    workspace: hostname(),
    store: null,
    encryptionKeys: null,
    encryptionKeyFile: null,
    codecToken: null,
    deployment: null,
    buildId: null,
    temporalCli: null,
    hasTemporalAddress: false,
    baseUrl: 'https://api.anthropic.com',
    apiKey: null,
    authToken: null,
    model: null,
    maxRetries: 10,
    maxOutputTokens: null,
    maxThinkingTokens: 0,
    autoCompact: true,
    compactPercent: null,
    compactWindow: null,
    toolUseSummaries: false,
    mcpStartMs: 30_000,
    mcpCallMs: 100_000_000,
    mcpOutputTokens: 25_000,
    maxToolUseConcurrency: 10,
    apiTimeoutMs: 600_000,
    rolloverEvents: 500,
    idleMs: 900_000,
    steering: 'all',
    uiDetail: 'full',
    user: null,
    tenant: null,
    activitySlots: 100,
    pollers: 'fixed',
    graceMs: 1_000,
    retentionDays: null,
    webFetchPorts: [],
    metricsAddress: null,
    healthAddress: null,
    hasTraces: false,
    traceparent: null,
  });
});

test('what is set is used, and ~ is the home folder', () => {
  const config = loadConfig(
    {
      EVERLOOP_HOME: '~/loop',
      CLAUDE_CONFIG_DIR: '/etc/claude/',
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9999',
      ANTHROPIC_AUTH_TOKEN: 'token',
      ANTHROPIC_MODEL: 'opus',
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9000',
    },
    '/home/ann',
  );

  expect(config).toMatchObject({
    home: '/home/ann/loop',
    configDir: '/etc/claude',
    hasTemporalAddress: true,
    baseUrl: 'http://127.0.0.1:9999',
    model: 'opus',
    maxRetries: 0,
    maxOutputTokens: 9000,
  });
  expect(config.authToken?.reveal()).toBe('token');
});

test('an empty value counts as unset', () => {
  const config = loadConfig({ ANTHROPIC_API_KEY: '', MAX_THINKING_TOKENS: '' }, '/home/ann');

  expect(config.apiKey).toBeNull();
  expect(config.maxThinkingTokens).toBe(0);
});

test.each([
  ['CLAUDE_CODE_MAX_RETRIES', 'many', 'a whole number of retries, 0 or more'],
  ['CLAUDE_CODE_MAX_RETRIES', '-1', 'a whole number of retries, 0 or more'],
  ['CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY', '0', 'a whole number of calls, 1 or more'],
  ['EVERLOOP_WEB_FETCH_PORTS', '80,x', 'numbers of ports, with commas between them'],
  ['EVERLOOP_TENANT', 'x'.repeat(65), '64 bytes at most'],
  ['EVERLOOP_DEPLOYMENT', 'a.b', 'a name of up to 100 letters, digits and _ -'],
  ['EVERLOOP_BUILD_ID', 'a:b', 'a name of up to 100 letters, digits and . _ + -'],
  ['EVERLOOP_IDLE_MS', '1.5', 'a whole number of ms, 0 or more'],
  ['EVERLOOP_HOME', 'here', 'an absolute path, or one that begins with ~/'],
  ['ANTHROPIC_BASE_URL', 'api.example.com', 'a URL that begins with http:// or https://'],
])('%s=%s is refused with name, value and cure', (name, value, expected) => {
  const load = () => loadConfig({ [name]: value }, '/home/ann');

  expect(load).toThrow(ConfigError);
  expect(load).toThrow(`${name} is "${value}", but must be ${expected}. Correct it or unset it.`);
});

test('a deployment is refused where one Worker at a time serves the store', () => {
  const load = () => loadConfig({ EVERLOOP_DEPLOYMENT: 'blue' }, '/home/ann');

  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/EVERLOOP_DEPLOYMENT is "blue".*Set EVERLOOP_STORE/);
});

test('every bad variable is named at once', () => {
  const load = () => loadConfig({ API_TIMEOUT_MS: 'x', EVERLOOP_HOME: 'y' }, '/home/ann');

  expect(load).toThrow(/EVERLOOP_HOME is "y".*\n.*API_TIMEOUT_MS is "x"|API_TIMEOUT_MS.*\n/);
});

test('no way of printing a Config shows a credential', () => {
  const config = loadConfig(
    { ANTHROPIC_API_KEY: 'sk-very-secret', ANTHROPIC_AUTH_TOKEN: 'sk-very-secret' },
    '/home/ann',
  );
  const shown = [
    JSON.stringify(config),
    inspect(config, { depth: null, showHidden: true }),
    String(config.apiKey),
    JSON.stringify({ ...config }),
  ].join();

  expect(shown).toContain('[redacted]');
  expect(shown).not.toContain('very-secret');
  expect(new Secret('x').reveal()).toBe('x');
});

test('the configuration table has a meaning and a unit for every variable', () => {
  const table = CONFIG_VARIABLES.map(({ name, fallback, unit }) => [name, fallback, unit]);

  expect(table).toContainEqual(['CLAUDE_CODE_MAX_RETRIES', '10', 'retries']);
  expect(table).toContainEqual(['EVERLOOP_HOME', '~/.everloop', 'folder']);
  expect(CONFIG_VARIABLES.every(({ meaning }) => meaning.length > 0)).toBe(true);
});
