import { servingQueueOf } from '../../src/recovery/serving-queue';
import type { ListedWorker, WorkerRegister } from '../../src/transcript/worker-register';

const workspace = { name: 'shared', taskQueue: 'shared-queue' };
const self = { host: 'alpha', workspace };
const holder = { workerId: 'w', host: 'beta', socket: '/none' };

const queueWhere = (told: Partial<ListedWorker>, owner = holder): Promise<string | null> => {
  const worker: ListedWorker = {
    ...{ workerId: 'w', host: owner.host, workspace, silentMs: 100, running: 0 },
    ...{ beganAt: '', seenAt: '', hasLeft: false, isDrained: false },
    ...told,
  };
  const register = { list: async () => [worker] } satisfies Partial<WorkerRegister>;
  return servingQueueOf(owner, self, register as never);
};

test('a host of the workspace that serves a session has a queue of its own for it', async () => {
  expect(await queueWhere({})).toMatch(/^shared-queue-/);
  expect(await queueWhere({})).not.toBe(
    await queueWhere({ host: 'gamma' }, { ...holder, host: 'gamma' }),
  );
});

test.each<[string, Partial<ListedWorker>]>([
  ['takes nothing new', { isDrained: true }],
  ['has left', { hasLeft: true }],
  ['is silent', { silentMs: 6_000 }],
  ['serves another workspace', { workspace: { name: 'own', taskQueue: 'own-queue' } }],
  ['is not known', { workerId: 'other' }],
])('nothing is taken to a Worker that %s', async (_why, told) => {
  expect(await queueWhere(told)).toBeNull();
});

test('nothing is taken to another Worker of the same host', async () => {
  expect(await queueWhere({}, { ...holder, host: 'alpha' })).toBeNull();
});
