import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ToolContext } from '../../src/tools/tool';
import { createWebFetchTool } from '../../src/tools/web-fetch';
import { createWorkspace, Refused, textOf, type Workspace } from './tool-call';

let workspace: Workspace;
let server: Server | null = null;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = null;
  await workspace.remove();
});

/** A site on a port of this machine, by any name that `names` gives an address. */
async function site(
  handler: RequestListener,
  names: (name: string, times: number) => string = () => '127.0.0.1',
) {
  const requests: string[] = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked: string[] = [];
  let nowMs = 1_000_000;
  const tool = createWebFetchTool({
    loopbackPorts: [port],
    now: () => nowMs,
    resolve: async (name) => {
      asked.push(name);
      return [{ address: names(name, asked.length), family: 4 }];
    },
  });
  const questions: string[] = [];
  const askSmallModel: ToolContext['askSmallModel'] = async ({ text }) => {
    questions.push(text);
    return 'The answer.';
  };
  return {
    port,
    requests,
    asked,
    questions,
    pass: (ms: number) => (nowMs += ms),
    fetch: (url: string, changes: Partial<ToolContext> = {}) => {
      const input = { url: url.replace('PORT', String(port)), prompt: 'What is it?' };
      return workspace.call(tool, input, { askSmallModel, ...changes });
    },
  };
}

const html: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end('<html><script>bad()</script><h1>Héllo</h1><p>A <a href="/b">link</a>.</p></html>');
};

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) => {
    response.writeHead(302, { location });
    response.end();
  };

test('the small model answers from the page, which is Markdown by then', async () => {
  const { fetch, questions } = await site(html);

  const result = await fetch('http://site.test:PORT/a');

  expect(textOf(result)).toBe('The answer.');
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatch(/<page>\n# Héllo\n\nA \[link\]\(\/b\)\.\n<\/page>\n\nWhat is it\?/);
  expect(questions[0]).not.toContain('bad()');
  expect(result.structured).toMatchObject({ code: 200, codeText: 'OK', result: 'The answer.' });
});

test('other texts stay as they are', async () => {
  const { fetch, questions } = await site((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"a": "<b>1</b>"}');
  });

  await fetch('http://site.test:PORT/');

  expect(questions[0]).toContain('\n{"a": "<b>1</b>"}\n');
});

test('pages come in the encoding that they name', async () => {
  const { fetch, questions } = await site((_request, response) => {
    response.setHeader('content-type', 'text/plain; charset=iso-8859-1');
    response.end(Buffer.from('caf\xe9', 'latin1'));
  });

  await fetch('http://site.test:PORT/');

  expect(questions[0]).toContain('café');
});

test('packed pages are unpacked', async () => {
  const { fetch, questions } = await site((_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync('plain words'));
  });

  await fetch('http://site.test:PORT/');

  expect(questions[0]).toContain('plain words');
});

test('a page is fetched once in 15 minutes, whatever is asked about it', async () => {
  const { fetch, requests, questions, pass } = await site(html);

  await fetch('http://site.test:PORT/a#one');
  await fetch('http://site.test:PORT/a#two');
  pass(15 * 60_000 - 1);
  await fetch('http://site.test:PORT/a');
  const within = requests.length;
  pass(1);
  await fetch('http://site.test:PORT/a');

  expect([within, requests.length, questions.length]).toEqual([1, 2, 4]);
});

test('where there is no model for tools, the page itself is the answer', async () => {
  const { fetch } = await site(html);

  const result = await fetch('http://site.test:PORT/', { askSmallModel: null });

  expect(textOf(result)).toContain('# Héllo');
});

test('redirects on the same host are followed', async () => {
  const { fetch, requests } = await site((request, response) => {
    const isFirst = request.url === '/a';
    (isFirst ? redirectTo('/b') : html)(request, response);
  });

  await fetch('http://site.test:PORT/a');

  expect(requests).toEqual(['/a', '/b']);
});

test.each(['http://other.test:PORT/x', 'https://site.test/x', 'http://10.0.0.1/x'])(
  'a redirect to %s is reported, not followed',
  async (location) => {
    let target = '';
    const { fetch, port, requests, asked } = await site((request, response) =>
      redirectTo(target)(request, response),
    );
    target = location.replace('PORT', String(port));

    const result = await fetch('http://site.test:PORT/a');

    expect(textOf(result)).toContain(target.replace('http://10', 'https://10'));
    expect([requests.length, asked]).toEqual([1, ['site.test']]);
  },
);

test('redirects that go round end', async () => {
  const { fetch, requests } = await site(redirectTo('/again'));

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(/redirects more than 10 times/);
  expect(requests).toHaveLength(11);
});

test('a name is resolved once per request, and that address is asked: it cannot change in between', async () => {
  const { fetch, asked } = await site(html, (_name, times) =>
    times === 1 ? '127.0.0.1' : '169.254.169.254',
  );

  expect(textOf(await fetch('http://rebind.test:PORT/'))).toBe('The answer.');
  expect(asked).toEqual(['rebind.test']);
});

test('a name that leads elsewhere after a redirect is refused', async () => {
  const { fetch, requests } = await site(redirectTo('/b'), (_name, times) =>
    times === 1 ? '127.0.0.1' : '169.254.169.254',
  );

  await expect(fetch('http://rebind.test:PORT/')).rejects.toThrow(
    /rebind\.test leads to 169\.254\.169\.254, which is no public address/,
  );
  expect(requests).toHaveLength(1);
});

test.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '169.254.169.254', '::1', 'fe80::1'])(
  'a name that leads to %s is refused',
  async (address) => {
    const { fetch } = await site(html, () => address);

    await expect(fetch('https://inside.test/')).rejects.toThrow(/is no public address/);
  },
);

test.each(['http://127.0.0.1/', 'http://[::1]/', 'http://0x7f.1/', 'http://169.254.169.254/meta'])(
  '%s is refused without a look at any name',
  async (url) => {
    const { fetch, asked } = await site(html);

    await expect(fetch(url)).rejects.toThrow(/is no public address/);
    expect(asked).toEqual([]);
  },
);

test('a port that may be asked on this machine may be asked nowhere else', async () => {
  const { fetch } = await site(html, () => '1.1.1.1');

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(/leads to 1\.1\.1\.1/);
});

test.each([
  ['ftp://site.test/', /only http and https/],
  ['file:///etc/passwd', /only http and https/],
  ['site.test/a', /is no URL|only http/],
  ['https://user:pass@site.test/', /user name or password/],
  [`https://site.test/${'a'.repeat(2_000)}`, /at most 2000/],
])('%s is refused before anybody is asked for permission', async (url, why) => {
  const { fetch, asked } = await site(html);
  const call = fetch(url);

  await expect(call).rejects.toThrow(Refused);
  await expect(call).rejects.toThrow(why);
  expect(asked).toEqual([]);
});

test.each([
  ['its length', { 'content-length': String(11 * 1024 * 1024) }, Buffer.from('a')],
  ['what comes', {}, Buffer.alloc(11 * 1024 * 1024, 'a')],
  [
    'what it is unpacked',
    { 'content-encoding': 'gzip' },
    gzipSync(Buffer.alloc(11 * 1024 * 1024, 'a')),
  ],
])('a page that is too large by %s is refused', async (_what, headers, body) => {
  const { fetch } = await site((_request, response) => {
    response.writeHead(200, headers as Record<string, string>);
    response.end(body);
  });

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(/larger than the 10485760 bytes/);
});

test('what is no text is told as such', async () => {
  const { fetch } = await site((_request, response) => {
    response.setHeader('content-type', 'image/png');
    response.end(Buffer.from([137, 80, 78, 71, 0, 0]));
  });

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(/is no text but image\/png/);
});

test('a failure of the server is told with its status', async () => {
  const { fetch } = await site((_request, response) => {
    response.statusCode = 404;
    response.end('gone');
  });

  await expect(fetch('http://site.test:PORT/x')).rejects.toThrow(/\/x answered 404 Not Found\./);
});

test('a stop ends a request that nobody answers', async () => {
  const stop = new AbortController();
  const { fetch } = await site(() => stop.abort(new Error('stopped by the user')));

  const call = fetch('http://site.test:PORT/', { signal: stop.signal });

  await expect(call).rejects.toThrow('stopped by the user');
});

test('HTML that nests too deep costs its page, and nothing else', async () => {
  const { fetch } = await site((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<html>${'<div>'.repeat(50_000)}x`);
  });

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(/could not be turned into text/);
}, 300_000);

test('a long page is cut, and the model is told', async () => {
  const { fetch, questions } = await site((_request, response) =>
    response.end('w'.repeat(150_000)),
  );

  await fetch('http://site.test:PORT/');

  expect(questions[0]).toContain('[cut here: 50000 more characters]');
});

test('a server that is not there is told by its code', async () => {
  const { fetch } = await site(html);
  server?.close();
  await once(server!, 'close');

  await expect(fetch('http://site.test:PORT/')).rejects.toThrow(
    /could not be fetched.*ECONNREFUSED/,
  );
});
