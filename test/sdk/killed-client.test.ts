// Needs: the build, and a Temporal server (started when missing). The official Agent SDK drives bin/everloop.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';
import { conversationOf } from './conversation-of';
import { isInit, isPartial, isText, isToolResult } from './messages';
import type { SdkQuery } from './sdk-query';
import { SdkRig } from './sdk-rig';

let rig: SdkRig;
beforeAll(async () => {
  rig = await SdkRig.start();
});
afterEach(() => rig.forget());
afterAll(() => rig.stop());

test('a client that is killed during a tool resumes: the tool runs on, and the rest of the turn comes', async () => {
  const { options, model, cwd } = await rig.project([calls(heldCommand()), says('It went.')]);
  const first = rig.client.query('run it', { ...options, allowedTools: ['Bash'] });
  await first.until(isInit, 'the first message');
  await fileIn(cwd, 'started');

  await rig.killClient();
  const again = rig.client.query(null, {
    ...options,
    allowedTools: ['Bash'],
    resume: first.sessionId,
  });
  await again.until(isInit, 'the running turn');
  await writeFile(join(cwd, 'go'), '');
  again.end();

  expect(await again.result()).toMatchObject({
    session_id: first.sessionId,
    subtype: 'success',
    result: 'It went.',
  });
  expect(JSON.stringify(again.messages.find(isToolResult))).toContain('went');
  expect((await readFile(join(cwd, 'runs'), 'utf8')).trim().split('\n')).toHaveLength(1);
  expect(model.requests).toHaveLength(2);
});

test('a client that is killed during a stream resumes: only the reply that was cut off is asked for again', async () => {
  const spoken = { type: 'text' as const, text: 'A long answer, spoken in pieces.' };
  const { options, model, cwd } = await rig.project([
    calls(call('Bash', { command: 'echo ran >> runs' })),
    {
      content: [spoken],
      deltaChars: 4,
      interruptions: [{ type: 'hold', name: 'half', afterDeltas: 3 }],
    },
  ]);
  const asking = { ...options, allowedTools: ['Bash'], includePartialMessages: true };
  const first = rig.client.query('run it and tell', asking);
  await first.until(isPartial, 'the first event of a stream');
  await model.waitUntilHeld('half');

  await rig.killClient();
  model.release('half');
  const again = rig.client.query(null, { ...asking, resume: first.sessionId });
  again.end();

  expect(await again.result()).toMatchObject({ subtype: 'success', result: spoken.text });
  expect(again.messages.filter(isPartial).length).toBeGreaterThan(3);
  expect(await readFile(join(cwd, 'runs'), 'utf8')).toBe('ran\n');
  expect(model.requests.map((request) => conversationOf(request).length)).toEqual([1, 3, 3]);
});

test('a question that the killed client left open is asked again, once', async () => {
  const { options, model } = await rig.project([
    calls(call('Bash', { command: 'touch made' })),
    says('Done.'),
  ]);
  let asked = 0;
  const noAnswer = new Promise<never>(() => undefined);
  const first = await new Promise<SdkQuery>((resolve) => {
    const query = rig.client.query('run it', {
      ...options,
      canUseTool: () => {
        asked += 1;
        resolve(query);
        return noAnswer;
      },
    });
  });

  await rig.killClient();
  const again = rig.client.query(null, {
    ...options,
    resume: first.sessionId,
    canUseTool: (_name: string, input: object) => {
      asked += 1;
      return { behavior: 'allow', updatedInput: input };
    },
  });
  await again.untilResults(1);
  again.end();

  expect(await again.result()).toMatchObject({ result: 'Done.', permission_denials: [] });
  expect(asked).toBe(2);
  expect(model.requests).toHaveLength(2);
});

test('resuming at an earlier message ends the turn that a killed client left behind it', async () => {
  const { options, model, cwd } = await rig.project((request) => {
    const said = conversationOf(request);
    if (said.includes('user: instead')) return says('Another way.');
    return said.includes('user: run it') ? calls(heldCommand()) : says('Ready.');
  });
  const first = rig.client.query(null, { ...options, allowedTools: ['Bash'] });
  first.send('ready?');
  const { uuid } = await first.until(isText, 'the first answer');
  await first.untilResults(1);
  first.send('run it');
  await fileIn(cwd, 'started');

  await rig.killClient();
  const again = rig.client.query('instead', {
    ...options,
    resume: first.sessionId,
    resumeSessionAt: uuid,
  });

  expect(await again.result()).toMatchObject({ subtype: 'success', result: 'Another way.' });
  expect(conversationOf(model.requests.at(-1))).toEqual([
    'user: ready?',
    'assistant: Ready.',
    'user: instead',
  ]);
});
