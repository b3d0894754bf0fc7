// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fork } from '../../src/cli/operator/fork';
import type { ForkCommand } from '../../src/cli/operator/fork-command';
import { withoutRepeats } from '../../src/client/without-repeats';
import type { Reply } from '../../src/scripted-model/reply';
import type { SessionStore } from '../../src/transcript/store';
import { withDurable, type Durable } from '../support/durable';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';
import { call, calls, says } from '../support/replies';

/** Six turns: five calls and an answer. */
const SIX: readonly Reply[] = [
  ...[1, 2, 3, 4, 5].map((turn) =>
    turn === 1
      ? calls(call('Write', { file_path: 'a.txt', content: 'turn 1' }))
      : calls(
          call('Edit', {
            file_path: 'a.txt',
            old_string: `turn ${turn - 1}`,
            new_string: `turn ${turn}`,
          }),
        ),
  ),
  says('Six turns are done.'),
];

async function forkAt(durable: Durable, command: Partial<ForkCommand>) {
  const world = new FakeSurroundings();
  const { stdout, stderr } = world.of();
  const target = await durable.store.createSession({
    ...durable.session.meta,
    sessionId: randomUUID(),
  });
  const exitCode = await fork(
    {
      type: 'fork',
      session: durable.sessionId,
      at: null,
      sessionId: null,
      files: false,
      json: false,
      ask: null,
      ...command,
    },
    {
      source: durable.session,
      stdout,
      stderr,
      requireIdle: async () => undefined,
      create: async () => target,
      ask: async () => 0,
    },
  );
  return { exitCode, target, stdout: world.stdout.text, stderr: world.stderr.text };
}

/** Says it in the session and waits for the end of its query. */
async function ask({ agent }: Durable, session: SessionStore, content: string): Promise<void> {
  const id = randomUUID();
  const enough = new AbortController();
  const submittedAt = new Date().toISOString();
  const options = {
    ...RUN_OPTIONS,
    model: 'claude-sonnet-4-6',
    permissionMode: 'bypassPermissions',
  } as const;
  await agent.submit(session, { id, content, submittedAt, options }, { isLast: true });
  for await (const { entry } of withoutRepeats(session.log.follow(null, enough.signal))) {
    if (entry.type === 'query_ended' && entry.promptId === id) return;
  }
}

/** Messages of a request as the API reads them: the cache mark moves with each. */
const messagesOf = (request: unknown): readonly unknown[] =>
  JSON.parse(JSON.stringify(request).replaceAll(/,"cache_control":\{[^}]*\}/g, '')) as unknown[];

test('a fork at turn 3 of 6 has the same prefix and another future; the source stays as it is', async () => {
  await withDurable({ script: [...SIX, says('Another future.')] }, async (durable) => {
    await durable.ask('work');
    const before = await durable.transcript();

    const { target, stdout } = await forkAt(durable, { at: 'turn:3' });
    await ask(durable, target, 'something else');

    const requests = durable.requestMessages.map(messagesOf);
    const [fourth, forked] = [requests[3] ?? [], requests[6] ?? []];
    expect(stdout).toBe(`${target.meta.sessionId}\n`);
    expect(forked.slice(0, fourth.length - 1)).toEqual(fourth.slice(0, -1));
    expect(JSON.stringify(forked)).toContain('something else');
    expect(JSON.stringify(forked)).toContain('turn 3');
    expect(JSON.stringify(forked)).not.toContain('turn 4');
    expect(await durable.transcript()).toEqual(before);
  });
});

test('files stay as they are unless they are meant as well', async () => {
  await withDurable({ script: SIX }, async (durable) => {
    await durable.ask('work');
    const file = (): string => readFileSync(join(durable.project, 'a.txt'), 'utf8');

    const { stderr } = await forkAt(durable, { at: 'turn:3' });
    const left = file();
    await forkAt(durable, { at: 'turn:3', files: true });

    expect(stderr).toContain('Files stay as they are');
    expect(left).toBe('turn 5');
    expect(file()).toBe('turn 3');
  });
});

test('a fork at a message keeps the message', async () => {
  await withDurable({ script: SIX }, async (durable) => {
    const id = await durable.say('work');
    await durable.resultOf(id);

    const { target } = await forkAt(durable, { at: id });

    expect(await target.lastLeaf()).toBe(id);
  });
});

test('a fork without a place has the whole conversation, as JSON if wanted', async () => {
  await withDurable({ script: SIX }, async (durable) => {
    await durable.ask('work');

    const { target, stdout } = await forkAt(durable, { json: true });

    expect(await target.lastLeaf()).toBe(await durable.session.lastLeaf());
    expect(JSON.parse(stdout)).toMatchObject({
      sessionId: target.meta.sessionId,
      forkOf: durable.sessionId,
    });
  });
});

test('a place that is not there is refused before anything is made', async () => {
  await withDurable({ script: SIX }, async (durable) => {
    await durable.ask('work');

    await expect(forkAt(durable, { at: 'turn:7' })).rejects.toThrow('has no turn 7: it has 6');
  });
});
