import { serveHealth, type Readiness } from '../../src/health/health-server';

const fine: Readiness = { name: 'store', trouble: async () => null };

async function asked(path: string, looks: readonly Readiness[]) {
  const server = await serveHealth('127.0.0.1:0', looks);
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, body: await response.json() };
  } finally {
    await server.close();
  }
}

test('a process that answers is alive, whatever else is wrong', async () => {
  const broken: Readiness = { name: 'server', trouble: async () => 'it is away' };

  expect(await asked('/healthz', [broken])).toEqual({ status: 200, body: { status: 'ok' } });
});

test('it is ready when nothing is wrong', async () => {
  expect(await asked('/readyz', [fine])).toEqual({
    status: 200,
    body: { ready: true, checks: { store: 'ok' } },
  });
});

test('what is wrong makes it unready, by name, and a look that fails counts as wrong', async () => {
  const away: Readiness = { name: 'server', trouble: () => Promise.reject(new Error('refused')) };

  expect(await asked('/readyz', [fine, away])).toEqual({
    status: 503,
    body: { ready: false, checks: { store: 'ok', server: 'refused' } },
  });
});

test('a look that does not end is answered for', async () => {
  const stuck: Readiness = { name: 'server', trouble: () => new Promise(() => undefined) };

  expect(await asked('/readyz', [stuck])).toMatchObject({
    status: 503,
    body: { checks: { server: 'no answer within 3000 ms' } },
  });
});

test('an address that is taken is told with the cure', async () => {
  const first = await serveHealth('127.0.0.1:0', []);

  const second = serveHealth(`127.0.0.1:${first.port}`, []);

  await expect(second).rejects.toThrow(/Health cannot be served at .*--health/);
  await first.close();
});
