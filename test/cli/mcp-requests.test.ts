import type { PrintCommand } from '../../src/cli/command';
import { parseCommand } from '../../src/cli/parse-command';
import { print } from '../../src/cli/print';
import { McpHost } from '../../src/mcp/mcp-host';
import { answers, FakeSession } from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json'];

function start(session = new FakeSession(), mcpHost = new McpHost()) {
  const world = new FakeSurroundings();
  const exit = print(parseCommand(STREAM, '1.2.3') as PrintCommand, {
    ...world.of(),
    openSession: async () => session,
    run: RUN_OPTIONS,
    mcpHost,
  });
  const answer = async (requestId: string) => {
    const message = await world.stdout.message(
      ({ response }) => (response as { request_id?: string } | undefined)?.request_id === requestId,
    );
    return message['response'];
  };
  return { world, exit, answer, mcpHost };
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const never = new AbortController().signal;

test('servers that the client registers are asked by mcp_message, and their messages depend on the client', async () => {
  const session = new FakeSession(answers(() => 'ok'));
  const { world, exit, answer, mcpHost } = start(session);
  world.control('r1', { subtype: 'initialize', sdkMcpServers: ['calc'] });
  await answer('r1');

  const asked = mcpHost.ask('calc', PING, never);
  const request = await world.stdout.message(({ type }) => type === 'control_request');
  world.say({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: request['request_id'],
      response: { mcp_response: { jsonrpc: '2.0', id: 1, result: {} } },
    },
  });
  world.sayPrompt('hi');
  expect(await asked).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  world.stdin.end();
  await exit;

  expect(request['request']).toEqual({
    subtype: 'mcp_message',
    server_name: 'calc',
    message: PING,
  });
  expect(session.messages[0]?.options.needsHost).toEqual(['MCP servers']);
});

test('what such a server says of its own accord reaches who listens; other names are errors', async () => {
  const { world, answer, mcpHost } = start();
  const heard: unknown[] = [];
  mcpHost.listen('calc', (message) => heard.push(message));

  world.control('r1', { subtype: 'mcp_message', server_name: 'calc', message: PING });
  world.control('r2', { subtype: 'mcp_message', server_name: 'none', message: PING });

  expect(await answer('r1')).toMatchObject({ subtype: 'success' });
  expect(await answer('r2')).toMatchObject({ subtype: 'error', error_code: 'unknown_server' });
  expect(heard).toEqual([PING]);
  world.stdin.end();
});

test('mcp_status tells of servers that nobody has connected to yet, then what their session says', async () => {
  const { world, answer, mcpHost } = start(undefined, new McpHost([{ files: {} }]));

  world.control('r1', { subtype: 'mcp_status' });
  const before = await answer('r1');
  mcpHost.control = {
    status: () => [{ name: 'files', status: 'connected', scope: 'dynamic' }],
    prepare: () => undefined,
    reconnect: () => Promise.reject(new Error('It is broken.')),
    toggle: async () => undefined,
  };
  world.control('r2', { subtype: 'mcp_status' });
  world.control('r3', { subtype: 'mcp_reconnect', serverName: 'files' });
  world.control('r4', { subtype: 'mcp_toggle', serverName: 'files', enabled: false });

  expect(before).toMatchObject({
    response: { mcpServers: [{ name: 'files', status: 'pending' }] },
  });
  expect(await answer('r2')).toMatchObject({
    response: { mcpServers: [{ name: 'files', status: 'connected' }] },
  });
  expect(await answer('r3')).toMatchObject({ subtype: 'error', error: 'It is broken.' });
  expect(await answer('r4')).toMatchObject({ subtype: 'success' });
  world.stdin.end();
});

test('mcp_set_servers replaces what the client had set before; entries that cannot be used are told', async () => {
  const { world, answer, mcpHost } = start(undefined, new McpHost([{ files: { command: 'f' } }]));
  world.control('r1', { subtype: 'initialize', sdkMcpServers: ['calc'] });
  const servers = {
    clock: { type: 'sdk', name: 'clock' },
    web: { type: 'http', url: 'http://127.0.0.1:1/mcp' },
    broken: { type: 'http' },
  };

  world.control('r2', { subtype: 'mcp_set_servers', servers });
  world.control('r3', { subtype: 'mcp_set_servers', servers: {} });
  world.control('r4', { subtype: 'mcp_set_servers', servers: ['clock'] });

  expect(await answer('r2')).toMatchObject({
    response: {
      added: ['clock', 'web'],
      removed: ['calc'],
      errors: { broken: expect.stringContaining('url') as string },
    },
  });
  expect(await answer('r3')).toMatchObject({
    response: { added: [], removed: ['clock', 'web'], errors: {} },
  });
  expect(await answer('r4')).toMatchObject({ subtype: 'error', error_code: 'invalid_mcp_servers' });
  expect(mcpHost.given.flatMap((each) => Object.keys(each))).toEqual(['files']);
  world.stdin.end();
});
