import { Worker } from 'node:worker_threads';

interface Limits {
  readonly ms: number;
  readonly megabytes: number;
  readonly signal: AbortSignal;
}

/** Runs a script in a thread of its own, so that hostile input costs its time and memory, not the Worker's. It finds
 *  its input in `workerData` and posts one message.
 *  Fails: with what it throws, when it takes too long or too much, and with the reason of the signal. */
export async function runInThread(
  script: string,
  input: unknown,
  { ms, megabytes, signal }: Limits,
): Promise<unknown> {
  signal.throwIfAborted();
  const limit = AbortSignal.timeout(ms);
  const ended = AbortSignal.any([signal, limit]);
  const thread = new Worker(script, {
    eval: true,
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  try {
    return await new Promise((settle, reject) => {
      thread.on('message', settle);
      thread.on('error', reject);
      thread.on('exit', () => reject(new Error('its thread ended')));
      ended.addEventListener('abort', () => reject(ended.reason), { once: true });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw limit.aborted ? new Error(`it took longer than ${ms / 1_000} s`) : error;
  } finally {
    await thread.terminate();
  }
}
