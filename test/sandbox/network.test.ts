// Needs bubblewrap and user namespaces; else its tests are skipped.
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { sandboxedPlace, sandboxTest, type SandboxedPlace } from './sandboxed';

let place: SandboxedPlace;
let server: Server;
let port: number;
beforeEach(async () => {
  place = await sandboxedPlace();
  server = createServer((request, response) => {
    const length = request.headers['content-length'] ?? 'none';
    response.end(
      `${request.method ?? ''} ${request.url ?? ''} ${request.headers.host ?? ''} ${length}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as { port: number });
});
afterEach(async () => {
  server.close();
  await place.remove();
});

/**
 * What an HTTP client does for https: asks the proxy for a tunnel, and speaks through it once it has it.
 * Here plain HTTP goes through it.
 */
const tunnelTo = (target: string): string =>
  `(exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT ${target} HTTP/1.1\\r\\nHost: ${target}\\r\\n\\r\\n' >&3; ` +
  'read -r answer <&3; echo "$answer"; [[ $answer == *" 200 "* ]] && ' +
  `printf 'GET /inner HTTP/1.1\\r\\nHost: inner\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3)`;

const plainTo = (url: string): string =>
  `node -e "require('http').request({host:'127.0.0.1',port:3128,method:'POST',path:'${url}',headers:{host:'forged'}},r=>r.pipe(process.stdout)).end('body')"`;

sandboxTest(
  'an allowed place is reached by plain HTTP and through a tunnel, and others are refused with the cure',
  async () => {
    const network = { allowedDomains: ['127.0.0.1'] };

    const tunnel = await place.run(tunnelTo(`127.0.0.1:${port}`), { network });
    const plain = await place.run(plainTo(`http://127.0.0.1:${port}/path?query`), { network });
    const refused = await place.run(tunnelTo('host.invalid:443'), { network });

    expect(tunnel).toContain('200 Connection established');
    expect(tunnel).toContain('GET /inner inner none');
    expect(plain).toBe(`POST /path?query 127.0.0.1:${port} 4`);
    expect(refused).toContain('403');
    expect(refused).toContain('does not let commands reach host.invalid:443');
    expect(refused).toContain('add "host.invalid" to sandbox.network.allowedDomains');
  },
);

sandboxTest('a port that is not named is refused', async () => {
  const output = await place.run(tunnelTo(`127.0.0.1:${port}`), {
    network: { allowedDomains: [`127.0.0.1:${port + 1}`] },
  });

  expect(output).toContain('403');
});

sandboxTest.each(['*', '*.localhost', 'host.invalid'])(
  'this machine is not reached by the entry %s',
  async (entry) => {
    const network = { allowedDomains: [entry] };

    const outputs = [
      await place.run(tunnelTo(`127.0.0.1:${port}`), { network }),
      await place.run(tunnelTo(`a.localhost:${port}`), { network }),
      await place.run(tunnelTo(`0.0.0.0:${port}`), { network }),
      await place.run(tunnelTo(`[::ffff:127.0.0.1]:${port}`), { network }),
    ];

    for (const output of outputs) expect(output).toMatch(/HTTP\/1.1 (403|502)/);
  },
);

sandboxTest('what a proxy of the user says counts, where there is one', async () => {
  const proxy = createTcpServer((socket) => {
    let asked = '';
    socket.on('data', (bytes) => {
      asked += bytes.toString();
      if (asked.endsWith('\r\n\r\n')) socket.end('their answer');
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port: httpProxyPort } = proxy.address() as { port: number };

  const output = await place.run(tunnelTo('host.invalid:443'), { network: { httpProxyPort } });
  proxy.close();

  expect(output).toBe('their answer');
});

sandboxTest(
  'programs are told of the proxy, and nothing of its way in is left to them',
  async () => {
    const network = { allowedDomains: ['host.invalid'] };

    const output = await place.run(
      'echo $HTTPS_PROXY $http_proxy; env | grep NODE_CHANNEL; ls -l /proc/self/fd | grep socket; exit 3',
      { network },
    );

    expect(output).toMatch(/^Exit code 3\nhttp:\/\/127.0.0.1:3128 http:\/\/127.0.0.1:3128$/);
  },
);
