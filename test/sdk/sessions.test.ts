// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { says } from '../support/replies';
import { conversationOf } from './conversation-of';
import { SdkRig } from './sdk-rig';
import { isText } from './messages';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

test('resume goes on with the conversation under its id', async () => {
  const { options, model } = await rig.project([says('One.'), says('Two.')]);
  const first = rig.client.query('first', options);
  await first.result();

  const second = rig.client.query('second', { ...options, resume: first.sessionId });

  expect(await second.result()).toMatchObject({ session_id: first.sessionId, result: 'Two.' });
  expect(conversationOf(model.requests.at(-1))).toEqual([
    'user: first',
    'assistant: One.',
    'user: second',
  ]);
});

test('continue goes on with the newest conversation of the folder', async () => {
  const { options } = await rig.project([says('One.'), says('Two.')]);
  const first = rig.client.query('first', options);
  await first.result();

  const second = rig.client.query('second', { ...options, continue: true });

  expect(await second.result()).toMatchObject({ session_id: first.sessionId });
});

describe('a fork', () => {
  test('has a new id and the conversation so far; the original stays as it is', async () => {
    const { options, model } = await rig.project([says('One.'), says('Two.')]);
    const first = rig.client.query('first', options);
    await first.result();
    const before = await rig.client.read('getSessionMessages', first.sessionId);

    const fork = rig.client.query('second', {
      ...options,
      resume: first.sessionId,
      forkSession: true,
    });

    expect(await fork.result()).toMatchObject({ result: 'Two.' });
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect(conversationOf(model.requests.at(-1))).toEqual([
      'user: first',
      'assistant: One.',
      'user: second',
    ]);
    expect(await rig.client.read('getSessionMessages', first.sessionId)).toEqual(before);
  });

  test('takes the id that the client gives', async () => {
    const sessionId = '11111111-2222-4333-8444-555555555555';
    const { options } = await rig.project([says('One.'), says('Two.')]);
    const first = rig.client.query('first', options);
    await first.result();

    const fork = rig.client.query('second', {
      ...options,
      resume: first.sessionId,
      forkSession: true,
      sessionId,
    });

    expect(await fork.result()).toMatchObject({ session_id: sessionId });
  });
});

test('resume at a message leaves out what came after it', async () => {
  const { options, model } = await rig.project([says('One.'), says('Two.')]);
  const first = rig.client.query(null, options);
  first.send('first');
  await first.untilResults(1);
  first.send('second');
  first.end();
  await first.result();
  const resumeSessionAt = first.messages.find(isText)?.uuid;

  const again = rig.client.query('third', {
    ...options,
    resume: first.sessionId,
    ...(resumeSessionAt && { resumeSessionAt }),
  });

  expect(await again.result()).toMatchObject({ session_id: first.sessionId });
  expect(conversationOf(model.requests.at(-1))).toEqual([
    'user: first',
    'assistant: One.',
    'user: third',
  ]);
});

test('a resume that would drop more than one turn is refused, and the session stays as it is', async () => {
  const { options, model } = await rig.project([says('One.'), says('Two.'), says('Three.')]);
  const first = rig.client.query(null, options);
  first.send('first');
  await first.untilResults(1);
  const dropped = first.send('second');
  await first.untilResults(2);
  first.send('third');
  first.end();
  await first.result();

  const again = rig.client.query('fourth', {
    ...options,
    resume: first.sessionId,
    resumeSessionAt: first.messages.find(isText)?.uuid ?? '',
    resumeDropsTurn: dropped,
  });

  expect(await again.ended()).toContain('Resume rejected by --resume-drops-turn:');
  expect(again.requireResult()).toMatchObject({ subtype: 'error_during_execution', num_turns: 0 });
  expect(model.requests).toHaveLength(3);
});
