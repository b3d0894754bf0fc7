import { HostCalls, asHookAsker } from '../../../src/cli/input/host-calls';
import type { JsonObject } from '../../../src/cli/input/json-object';

function host() {
  const frames: JsonObject[] = [];
  let count = 0;
  const calls = new HostCalls(
    async (frame) => void frames.push(frame),
    () => `id-${++count}`,
  );
  const never = new AbortController().signal;
  return { frames, calls, never };
}

test('a request goes out with an id, and the answer with that id comes back', async () => {
  const { frames, calls, never } = host();

  const answer = calls.ask({ subtype: 'hook_callback' }, never);

  expect(calls.answered('id-1', { continue: true }, '')).toBe(true);
  expect(await answer).toEqual({ continue: true });
  expect(frames).toEqual([
    { type: 'control_request', request_id: 'id-1', request: { subtype: 'hook_callback' } },
  ]);
});

test('an answer that nobody waits for is left to others', () => {
  expect(host().calls.answered('other', {}, '')).toBe(false);
});

test('an error of the host is the error of the request', async () => {
  const { calls, never } = host();
  const answer = calls.ask({}, never);

  calls.answered('id-1', null, 'the callback threw');

  await expect(answer).rejects.toThrow('the callback threw');
});

test('a request whose answer does not count any more is taken back', async () => {
  const { frames, calls } = host();
  const leaving = new AbortController();
  void calls.ask({}, leaving.signal);
  await Promise.resolve();

  leaving.abort();

  expect(frames.at(-1)).toEqual({ type: 'control_cancel_request', request_id: 'id-1' });
});

test('a host that has gone answers nothing more', async () => {
  const { calls, never } = host();
  const open = calls.ask({}, never);

  calls.end();

  await expect(open).rejects.toThrow('has closed its input');
  await expect(calls.ask({}, never)).rejects.toThrow('has closed its input');
});

test('a hook is asked with its callback, its input and the call that it is about', () => {
  const { frames, calls, never } = host();
  const input = {
    session_id: 's',
    transcript_path: '/t',
    cwd: '/',
    hook_event_name: 'UserPromptSubmit',
    prompt: 'hi',
  } as const;

  void asHookAsker(calls)('hook_0', input, null, never);

  expect(frames[0]).toMatchObject({
    request: { subtype: 'hook_callback', callback_id: 'hook_0', input: { prompt: 'hi' } },
  });
});
