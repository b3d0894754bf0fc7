import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createApiFetch } from '../../../src/activities/call-model/api-fetch';

const apiFetch = createApiFetch(1_000_000);
let server: Server | undefined;

/** Where a server listens that answers like this. */
async function answering(
  listener: (...args: Parameters<RequestListener>) => unknown,
): Promise<string> {
  const started = createServer((request, response) => void listener(request, response));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/v1/messages`;
}

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
  server = undefined;
});

test('bytes go out as they are, with their length', async () => {
  const url = await answering(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.end(JSON.stringify({ body, length: request.headers['content-length'] }));
  });

  const response = await apiFetch(url, { method: 'POST', body: Buffer.from('{"ä":1}') });

  expect(await response.json()).toEqual({ body: '{"ä":1}', length: '8' });
});

test('status and headers come back, each value of one that comes twice', async () => {
  const url = await answering((_, response) => {
    response.writeHead(529, { 'request-id': 'req_1', 'set-cookie': ['a=1', 'b=2'] }).end('busy');
  });

  const response = await apiFetch(url);

  expect(response.status).toBe(529);
  expect(response.headers.get('request-id')).toBe('req_1');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.text()).toBe('busy');
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer that a gateway has compressed with %s is read', async (encoding, compress) => {
  const url = await answering((_, response) => {
    response.setHeader('content-encoding', encoding).end(compress('{"type":"message"}'));
  });

  expect(await (await apiFetch(url)).json()).toEqual({ type: 'message' });
});

test('an answer that is not what it says fails its reader', async () => {
  const url = await answering((_, response) => {
    response.setHeader('content-encoding', 'gzip').end('plain');
  });

  await expect((await apiFetch(url)).text()).rejects.toThrow('incorrect header check');
});

test('an abort closes the connection in the middle of an answer, and the reader hears of it', async () => {
  let left: () => void;
  const isLeft = new Promise<void>((resolve) => (left = resolve));
  const url = await answering((request, response) => {
    request.once('close', () => left());
    response.write('begun');
  });
  const abort = new AbortController();
  const response = await apiFetch(url, { signal: abort.signal });
  const reading = response.text();
  abort.abort();

  await expect(reading).rejects.toThrow();
  await isLeft;
});

test('a reader that leaves closes the connection', async () => {
  let left: () => void;
  const isLeft = new Promise<void>((resolve) => (left = resolve));
  const url = await answering((request, response) => {
    request.once('close', () => left());
    response.write('begun');
  });

  await (await apiFetch(url)).body?.cancel();

  await isLeft;
});

test('a server that breaks off fails its reader', async () => {
  const url = await answering((_, response) => {
    response.write('begun', () => response.socket?.destroy());
  });

  await expect((await apiFetch(url)).text()).rejects.toThrow('aborted');
});

test('where nobody listens the error says so', async () => {
  const url = await answering(() => undefined);
  await new Promise((resolve) => server?.close(resolve));

  await expect(apiFetch(url)).rejects.toThrow('ECONNREFUSED');
});
