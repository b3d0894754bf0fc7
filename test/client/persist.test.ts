import { ServiceError } from '@temporalio/client';
import { persist } from '../../src/client/persist';

/** Fails once with the error, then answers. */
function failingOnce(error: Error): { calls: number; call(): Promise<string> } {
  const failing = {
    calls: 0,
    async call() {
      failing.calls += 1;
      if (failing.calls === 1) throw error;
      return 'heard';
    },
  };
  return failing;
}

const TASK_FAILING =
  'Unable to perform workflow execution update due to Workflow Task in failed state.';

test.each([
  ['a server that is away', Object.assign(new Error('14 UNAVAILABLE'), { code: 14 })],
  ['a Workflow whose tasks died with their Workers', new Error(TASK_FAILING)],
  ['the same, as a native connection throws it,', new ServiceError(TASK_FAILING)],
  [
    'the same, as the SDK wraps it,',
    new ServiceError('Update-With-Start failed', { cause: new Error(TASK_FAILING) }),
  ],
])('%s is asked again', async (_what, error) => {
  const failing = failingOnce(error);

  expect(await persist(() => failing.call())).toBe('heard');
  expect(failing.calls).toBe(2);
});

test('any other failure is told at once', async () => {
  const failing = failingOnce(new Error('refused'));

  await expect(persist(() => failing.call())).rejects.toThrow('refused');
  expect(failing.calls).toBe(1);
});
