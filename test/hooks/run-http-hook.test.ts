import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { HookRig, layer, preToolUse, setOf } from './given';

const rig = new HookRig();
let server: Server;
let heard: { headers: IncomingHttpHeaders; body: string }[];
let reply: { status: number; body: string };

beforeEach(async () => {
  await rig.open();
  heard = [];
  reply = { status: 200, body: '' };
  server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push({ headers: request.headers, body });
      response.writeHead(reply.status).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rig.close();
});

const set = (more: object = {}) => {
  const { port } = server.address() as AddressInfo;
  const hooks = [{ type: 'http', url: `http://127.0.0.1:${port}/hook`, ...more }];
  return setOf(layer({ hooks: { PreToolUse: [{ hooks }] } }));
};

test('the input is posted and the answer counts like what a command prints', async () => {
  reply.body = '{"decision":"block","reason":"not here"}';

  const verdict = await rig.run(set(), preToolUse());

  expect(JSON.parse(heard[0]!.body)).toEqual(preToolUse());
  expect(verdict.permission).toEqual({ behavior: 'deny', reason: 'not here' });
});

test('headers name allowed variables only', async () => {
  const headers = { authorization: 'Bearer $TOKEN', 'x-other': '<${SECRET}>' };

  await rig.run(set({ headers, allowedEnvVars: ['TOKEN'] }), preToolUse(), {
    env: { TOKEN: 't', SECRET: 's' },
  });

  expect(heard[0]!.headers).toMatchObject({ authorization: 'Bearer t', 'x-other': '<>' });
});

test('any status but 2xx is a warning that blocks nothing', async () => {
  reply = { status: 500, body: '{"decision":"block"}' };

  const verdict = await rig.run(set(), preToolUse());

  expect(verdict.permission).toBeNull();
  expect(verdict.warnings[0]).toContain('HTTP status 500');
});
