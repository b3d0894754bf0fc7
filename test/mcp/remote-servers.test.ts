import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { ConnectionFailure } from '../../src/mcp/failure';
import { ServerConnection } from '../../src/mcp/server-connection';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let connections: ServerConnection[];
beforeEach(() => (connections = []));
afterEach(async () => {
  for (const connection of connections) await connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function listen(handler: Handler): Promise<string> {
  server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** One tool: `wait` answers when the test says so. */
function waiting(): { readonly mcp: McpServer; readonly called: Promise<void> } {
  const mcp = new McpServer({ name: 'remote', version: '1' });
  const called = new Promise<void>((resolve) => {
    mcp.registerTool('wait', { description: 'Waits.' }, () => {
      resolve();
      return new Promise(() => undefined);
    });
    mcp.registerTool('hello', { description: 'Greets.' }, () => ({
      content: [{ type: 'text', text: 'hello' }],
    }));
  });
  return { mcp, called };
}

async function open(type: 'http' | 'sse', url: string, headers = {}): Promise<ServerConnection> {
  const connection = await ServerConnection.open({
    name: 'remote',
    config: { type, url, headers },
    cwd: '/',
    env: {},
    host: null,
    version: '1',
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
  connections.push(connection);
  return connection;
}

const options = () => ({
  signal: new AbortController().signal,
  timeoutMs: 60_000,
  onProgress: () => undefined,
});

async function streamable(mcp: McpServer): Promise<Handler> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await mcp.connect(transport);
  return (request, response) => void transport.handleRequest(request, response);
}

test('a server at a distance is called by streamable HTTP, with its headers', async () => {
  const seen: unknown[] = [];
  const handle = await streamable(waiting().mcp);
  const url = await listen((request, response) => {
    seen.push(request.headers['x-key']);
    handle(request, response);
  });

  const connection = await open('http', url, { 'x-key': 'k' });
  const { tools } = await connection.offer();
  const { content } = await connection.callTool('hello', {}, options());

  expect(tools.map(({ name }) => name)).toEqual(['hello', 'wait']);
  expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(new Set(seen)).toEqual(new Set(['k']));
});

test.each(['http', 'sse'] as const)('an old server is reached by %s', async (type) => {
  const { mcp } = waiting();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the old kind is what is tested
  let transport: SSEServerTransport | undefined;
  const url = await listen((request, response) => {
    if (request.method === 'GET') {
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      transport = new SSEServerTransport('/messages', response);
      void mcp.connect(transport);
    } else if (request.url?.startsWith('/messages') === true) {
      void transport?.handlePostMessage(request, response);
    } else response.writeHead(405).end();
  });

  const connection = await open(type, url);

  expect(await connection.callTool('hello', {}, options())).toMatchObject({
    content: [{ text: 'hello' }],
  });
});

test('a server that wants a sign-in is told apart, with the cure', async () => {
  const url = await listen((_request, response) => response.writeHead(401).end());

  const failure = await open('http', `${url}?key=secret`).catch((error: unknown) => error);

  expect((failure as ConnectionFailure).status).toBe('needs-auth');
  expect((failure as Error).message).toContain(`at ${url} wants a sign-in (401)`);
  expect((failure as Error).message).toContain('"Authorization": "Bearer ${TOKEN}"');
  expect((failure as Error).message).not.toContain('secret');
});

test('a server that is not there says so', async () => {
  const url = await listen(() => undefined);
  await new Promise((resolve) => server.close(resolve));

  await expect(open('http', url)).rejects.toThrow(
    /cannot be reached: fetch failed \(ECONNREFUSED\)/,
  );
});

test('a call whose server goes away under it is lost, not waited for', async () => {
  const { mcp, called } = waiting();
  const url = await listen(await streamable(mcp));
  const connection = await open('http', url);

  const call = connection.callTool('wait', {}, options()).catch((error: unknown) => error);
  await called;
  server.closeAllConnections();
  server.close();

  expect(await call).toMatchObject({ name: 'CallFailure', type: 'lost' });
});
