import { createSessionHost, type SessionHost } from '../../src/cli/session-host';
import { loadConfig } from '../../src/config';
import { backgroundQueue } from '../../src/temporal/task-queue';

const STORE = 'postgres://everloop@db.example:5432/everloop';

const hosts: SessionHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map(({ store }) => store.close())));

function hostWith(environment: Readonly<Record<string, string>>): SessionHost {
  const config = loadConfig({ ANTHROPIC_API_KEY: 'key', ...environment }, '/home/somebody');
  const host = createSessionHost({
    config,
    settings: { cli: null },
    version: '0.0.0',
    environment: {},
    cli: { configured: null, env: {}, cacheFolder: '/nowhere' },
  });
  hosts.push(host);
  return host;
}

test('Workers of separate homes take background sessions of one store from one queue', () => {
  const [one, two] = ['/one', '/two'].map((home) =>
    hostWith({ EVERLOOP_STORE: STORE, EVERLOOP_HOME: home }),
  );

  expect(one?.backgroundQueue).toBe(two?.backgroundQueue);
  expect(one?.homeQueue).not.toBe(two?.homeQueue);
});

test('with another base URL, or in another store, it is another queue', () => {
  const { backgroundQueue: queue } = hostWith({ EVERLOOP_STORE: STORE });

  const others = [
    hostWith({ EVERLOOP_STORE: `${STORE}?schema=other` }),
    hostWith({ EVERLOOP_STORE: STORE, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }),
  ];

  expect(others.map(({ backgroundQueue: other }) => other)).not.toContain(queue);
});

test('with files, the queue is that of the home, as it always was', () => {
  const host = hostWith({ EVERLOOP_HOME: '/one' });

  expect(host.backgroundQueue).toBe(host.homeQueue);
  expect(host.backgroundQueue).toBe(backgroundQueue('/one', host.fingerprint));
});
