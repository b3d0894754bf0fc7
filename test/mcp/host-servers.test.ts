import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { McpHost } from '../../src/mcp/mcp-host';
import { McpSessions } from '../../src/mcp/mcp-sessions';
import { ServerConnection } from '../../src/mcp/server-connection';

/** A program that hosts a calculator, as the Agent SDK does: one answer for each request, by id. */
async function hosting(): Promise<McpHost> {
  const mcp = new McpServer({ name: 'calc', version: '1' });
  mcp.registerTool(
    'add',
    { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await mcp.connect(theirs);
  await ours.start();
  const open = new Map<unknown, (answer: JSONRPCMessage) => void>();
  ours.onmessage = (answer) => 'id' in answer && open.get(answer.id)?.(answer);
  const host = new McpHost();
  host.register(['calc'], async (_server, message) => {
    if (!('id' in message)) {
      await ours.send(message);
      return { jsonrpc: '2.0', result: {}, id: 0 };
    }
    const answer = new Promise((resolve) => open.set(message.id, resolve));
    await ours.send(message);
    return answer;
  });
  return host;
}

const sessionsOf = (host: McpHost): McpSessions =>
  new McpSessions({
    limits: { startMs: 20_000, callMs: 20_000, resultChars: 1_000 },
    version: '1',
    host,
    idleMs: null,
    connect: (options) => ServerConnection.open(options),
    read: async () => ({ servers: [], problems: [], env: {} }),
  });
const place = { sessionId: 's', cwd: '/', options: {} };
const signal = new AbortController().signal;
const use = { mayRepeat: false, signal };
const options = { signal, timeoutMs: 20_000, onProgress: () => undefined };

test('servers of the hosting program are asked through it', async () => {
  const host = await hosting();
  const sessions = sessionsOf(host);

  const { servers } = await sessions.of(place).refresh();
  const sum = await sessions
    .of(place)
    .use('calc', (calc) => calc.callTool('add', { a: 2, b: 3 }, options), use);

  expect(servers).toMatchObject([{ name: 'calc', status: 'connected', scope: 'sdk' }]);
  expect(sum.content).toEqual([{ type: 'text', text: '5' }]);
  expect(host.hasServers).toBe(true);
  await sessions.closeAll();
});

test('the state of servers can be seen and changed while the session is served', async () => {
  const host = await hosting();
  const sessions = sessionsOf(host);
  await sessions.of(place).refresh();

  await host.control?.toggle('calc', false);
  const off = host.control?.status();
  const whenOff = await sessions.of(place).refresh();
  await host.control?.toggle('calc', true);

  expect(off).toEqual([{ name: 'calc', scope: 'sdk', status: 'disabled' }]);
  expect(whenOff.servers[0]).toMatchObject({ status: 'disabled', tools: [] });
  expect(host.control?.status()).toMatchObject([
    { name: 'calc', status: 'connected', serverInfo: { name: 'calc', version: '1' } },
  ]);
  await expect(host.control?.reconnect('none')).rejects.toThrow('There is no MCP server "none".');
  await sessions.closeAll();
});

test('a host that has gone makes a call fail, with its words', async () => {
  const host = await hosting();
  const sessions = sessionsOf(host);
  await sessions.of(place).refresh();
  host.register(['calc'], () => Promise.reject(new Error('The host has closed its input.')));

  const call = sessions
    .of(place)
    .use('calc', (calc) => calc.callTool('add', { a: 2, b: 3 }, options), use);

  await expect(call).rejects.toThrow(/The host has closed its input/);
  await sessions.closeAll();
});
