// Needs: a Temporal server (started by the run).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { requireIdle } from '../../src/cli/operator/require-idle';
import { rewind } from '../../src/cli/operator/rewind';
import type { RewindCommand } from '../../src/cli/operator/rewind-command';
import { withDurable, type Durable } from '../support/durable';
import { FakeSurroundings } from '../support/fake-surroundings';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const edit = (from: string, to: string): Reply =>
  calls(call('Edit', { file_path: 'a.txt', old_string: from, new_string: to }));

/** Three prompts: the first makes a file, the second changes it and runs a command, the third changes it again. */
const SCRIPT: readonly Reply[] = [
  calls(call('Write', { file_path: 'a.txt', content: 'one\n' })),
  says('First done.'),
  edit('one', 'two'),
  calls(call('Bash', { command: 'echo three >> a.txt; touch by-command' })),
  says('Second done.'),
  calls(call('Read', { file_path: 'a.txt' })),
  edit('three', 'four'),
  says('Third done.'),
];

async function threePrompts(durable: Durable): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const prompt of ['first', 'second', 'third']) {
    const id = await durable.say(prompt);
    await durable.resultOf(id);
    ids.push(id);
  }
  await durable.idle();
  return ids;
}

async function run(durable: Durable, command: Partial<RewindCommand> & { readonly to: string }) {
  const world = new FakeSurroundings();
  const { stdout } = world.of();
  const exitCode = await rewind(
    {
      type: 'rewind',
      session: durable.sessionId,
      parts: 'both',
      yes: true,
      json: false,
      ...command,
    },
    {
      session: durable.session,
      stdout,
      requireIdle: () => requireIdle(durable, durable.session, durable.store.place),
      confirm: null,
    },
  );
  return { exitCode, text: world.stdout.text };
}

const fileOf = (durable: Durable): string => readFileSync(join(durable.project, 'a.txt'), 'utf8');

/** What a request tells the model that people and it have said, without the engine's own notes. */
function promptsIn(request: unknown): readonly string[] {
  return [...JSON.stringify(request).matchAll(/"(first|second|third|instead)"/g)].map(
    ([, prompt = '']) => prompt,
  );
}

test('a rewind to a message takes conversation and files back to before it, commands included', async () => {
  await withDurable({ script: [...SCRIPT, says('Instead done.')] }, async (durable) => {
    const [, second = ''] = await threePrompts(durable);

    const { exitCode, text } = await run(durable, { to: second });
    await durable.ask('instead');

    expect(exitCode).toBe(0);
    expect(text).toContain('NOT undone');
    expect(text).toContain('Bash  echo three >> a.txt; touch by-command');
    expect(fileOf(durable)).toBe('one\n');
    expect(promptsIn(durable.requestMessages.at(-1))).toEqual(['first', 'instead']);
  });
});

test.each([
  ['turn:1', 'one\n'],
  ['turn:3', 'two\n'],
  ['turn:4', 'two\nthree\n'],
  ['turn:7', 'two\nfour\n'],
])('files at %s hold what they held then', async (to, content) => {
  await withDurable({ script: SCRIPT }, async (durable) => {
    await threePrompts(durable);
    await run(durable, { to: 'turn:0', parts: 'files' });

    await run(durable, { to, parts: 'files' });

    expect(fileOf(durable)).toBe(content);
  });
});

test('what a person wrote between two prompts is given back with the second', async () => {
  const script = [
    ...SCRIPT.slice(0, 2),
    calls(call('Read', { file_path: 'a.txt' })),
    edit('mine', 'yours'),
    says('Done.'),
  ];
  await withDurable({ script }, async (durable) => {
    await durable.ask('first');
    writeFileSync(join(durable.project, 'a.txt'), 'mine\n');
    const second = await durable.say('second');
    await durable.resultOf(second);
    await durable.idle();

    await run(durable, { to: second, parts: 'files' });

    expect(fileOf(durable)).toBe('mine\n');
  });
});

test('without --yes nothing changes, and the plan is told', async () => {
  await withDurable({ script: [...SCRIPT, says('On.')] }, async (durable) => {
    await threePrompts(durable);

    const { text } = await run(durable, { to: 'turn:2', yes: false, json: true });
    await durable.ask('instead');

    expect(JSON.parse(text)).toMatchObject({
      to: 'after turn 2',
      done: false,
      files: [{ path: expect.stringMatching(/a\.txt$/) as string, action: 'restore' }],
      notUndone: [{ tool: 'Bash' }],
    });
    expect(fileOf(durable)).toBe('two\nfour\n');
    expect(promptsIn(durable.requestMessages.at(-1))).toEqual([
      'first',
      'second',
      'third',
      'instead',
    ]);
  });
});

test('the conversation alone goes back, and what follows it is one conversation', async () => {
  const script = [...SCRIPT, says('Instead.'), says('More.')];
  await withDurable({ script }, async (durable) => {
    await threePrompts(durable);

    await run(durable, { to: 'turn:2', parts: 'conversation' });
    await durable.ask('instead');
    await durable.ask('third');

    expect(fileOf(durable)).toBe('two\nfour\n');
    expect(promptsIn(durable.requestMessages.at(-1))).toEqual(['first', 'instead', 'third']);
  });
});

test('a rewind to the beginning leaves an empty conversation', async () => {
  await withDurable({ script: [...SCRIPT, says('Instead.')] }, async (durable) => {
    await threePrompts(durable);

    await run(durable, { to: 'turn:0' });
    await durable.ask('instead');

    expect(promptsIn(durable.requestMessages.at(-1))).toEqual(['instead']);
  });
});

test('a session at work is left alone', async () => {
  await withDurable({ script: [calls(heldCommand()), says('Done.')] }, async (durable) => {
    const id = await durable.say('first');
    await fileIn(durable.project, 'started');

    const rewinding = run(durable, { to: 'turn:0' });

    await expect(rewinding).rejects.toThrow('is at work');
    writeFileSync(join(durable.project, 'go'), '');
    await durable.resultOf(id);
  });
});

test.each([
  ['turn:9', 'has no turn 9: it has 2'],
  ['11111111-2222-4333-8444-555555555555', 'has no message with uuid'],
])('%s, which is not there, is refused by name', async (to, reason) => {
  await withDurable({ script: SCRIPT.slice(0, 2) }, async (durable) => {
    await durable.ask('first');
    await durable.idle();

    await expect(run(durable, { to })).rejects.toThrow(reason);
  });
});
