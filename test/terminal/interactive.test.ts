// Needs: a Temporal server (started by the run), and the built product, which it drives in a real pty.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';
import { CTRL_C, DOWN, ENTER, ESC, withTerminals, type PtyWorld } from './pty-world';

jest.setTimeout(300_000);

const bash = (command: string) => call('Bash', { command, description: 'x' });
const asked = (world: PtyWorld, request: number): string =>
  JSON.stringify(world.model.requests[request]?.body.messages);
const go = ({ project }: PtyWorld): void => writeFileSync(join(project, 'go'), '');
const FREELY = ['--permission-mode', 'bypassPermissions'];

test('a reply is seen while it streams, Markdown rendered, thinking dim', async () => {
  const reply: Reply = {
    content: [
      { type: 'thinking', thinking: 'Consider the question.', signature: 's' },
      { type: 'text', text: `# Title\n\n${'Some **bold** words. '.repeat(20)}\n\n- the end` },
    ],
    deltaChars: 40,
    interruptions: [{ type: 'hold', name: 'middle', afterDeltas: 5 }],
  };
  await withTerminals({ script: [reply] }, async (world) => {
    const terminal = world.open();
    await terminal.say('explain it');
    await terminal.shows('● Title');
    await terminal.shows('Working …');
    expect(terminal.text).not.toContain('the end');

    world.model.release('middle');
    await terminal.shows('- the end');
    await terminal.loses('Working …');
    expect(terminal.text).toContain('Some bold words.');
    expect(terminal.styleOf('Consider the question.').isDim).toBe(true);
  });
});

test('a call is asked about, runs after a yes, and its output is folded', async () => {
  const script = [calls(bash('seq 1 50 | tee made')), says('Counted.')];
  await withTerminals({ script }, async (world) => {
    const terminal = world.open();
    await terminal.say('count');
    await terminal.shows('Bash wants to run');
    expect(existsSync(join(world.project, 'made'))).toBe(false);

    terminal.press('1');
    await terminal.shows('Counted.');

    expect(terminal.text).toContain('… 46 more lines');
    expect(terminal.text).not.toMatch(/^ +50$/m);
    terminal.press('\x0f');
    await terminal.shows(/^ +50$/m);
  });
});

test('"always" is asked once', async () => {
  const script = [calls(bash('touch one')), calls(bash('touch one')), says('Twice.')];
  await withTerminals({ script }, async (world) => {
    const terminal = world.open();
    await terminal.say('do it twice');
    await terminal.shows('Bash wants to run');

    terminal.press(DOWN);
    await terminal.shows('❯ 2.');
    terminal.press(ENTER);

    await terminal.shows('Twice.');
  });
});

test('a no with a reason is what the model reads', async () => {
  await withTerminals(
    { script: [calls(bash('touch made')), says('Understood.')] },
    async (world) => {
      const terminal = world.open();
      await terminal.say('do it');
      await terminal.shows('Bash wants to run');

      terminal.press('3');
      await terminal.shows('Reason');
      terminal.press('use another name');
      await terminal.shows('use another name');
      terminal.press(ENTER);

      await terminal.shows('Understood.');
      expect(asked(world, 1)).toContain('use another name');
      expect(existsSync(join(world.project, 'made'))).toBe(false);
    },
  );
});

test('a change of a file is shown as a diff, in colours', async () => {
  const file = 'greeting.txt';
  const edit = { file_path: file, old_string: 'hello', new_string: 'goodbye' };
  const script = [
    calls(call('Read', { file_path: file })),
    calls(call('Edit', edit)),
    says('Done.'),
  ];
  await withTerminals({ script }, async (world) => {
    writeFileSync(join(world.project, file), 'first\nhello\nlast\n');
    const terminal = world.open(['--permission-mode', 'acceptEdits']);
    await terminal.say('be polite');
    await terminal.shows('Done.');

    expect(terminal.text).toContain('1 added, 1 removed');
    expect(terminal.styleOf('-hello').colour).toBe(1);
    expect(terminal.styleOf('+goodbye').colour).toBe(2);
    expect(readFileSync(join(world.project, file), 'utf8')).toBe('first\ngoodbye\nlast\n');
  });
});

test('what is typed while a tool runs is heard after it: steering', async () => {
  await withTerminals({ script: [calls(heldCommand()), says('Both.')] }, async (world) => {
    const terminal = world.open(FREELY);
    await terminal.say('work');
    await fileIn(world.project, 'started');
    await terminal.shows('Running Bash …');
    await terminal.say('and greet me');
    await terminal.shows('> and greet me (sent)');
    go(world);

    await terminal.shows('Both.');
    expect(asked(world, 1)).toMatch(/tool_result.*and greet me/);
    expect(terminal.text).not.toContain('(sent)');
  });
});

test('Esc interrupts the model and the tools, and the conversation goes on', async () => {
  await withTerminals(
    { script: [calls(heldCommand()), says('Something else.')] },
    async (world) => {
      const terminal = world.open(FREELY);
      await terminal.say('work');
      await fileIn(world.project, 'started');

      terminal.press(ESC);
      await terminal.shows('Interrupted.');
      await terminal.loses('Esc interrupts');
      await terminal.say('do something else');

      await terminal.shows('Something else.');
      expect(existsSync(join(world.project, 'go'))).toBe(false);
    },
  );
});

test('a question of the model is answered with a choice', async () => {
  const question = {
    question: 'Which library?',
    header: 'Library',
    multiSelect: false,
    options: [
      { label: 'Left', description: 'the one' },
      { label: 'Right', description: 'the other' },
    ],
  };
  const script = [calls(call('AskUserQuestion', { questions: [question] })), says('Right it is.')];
  await withTerminals({ script }, async (world) => {
    const terminal = world.open();
    await terminal.say('choose');
    await terminal.shows('❯ 1. Left');
    terminal.press('2');

    await terminal.shows('Right it is.');
    expect(asked(world, 1)).toMatch(/Which library\?.*Right/);
  });
});

test('a dialog does not take the keys of somebody who types', async () => {
  await withTerminals({ script: [calls(bash('touch made')), says('Made.')] }, async (world) => {
    const terminal = world.open();
    await terminal.say('do it');
    terminal.press('half a line 1');
    await terminal.shows('half a line 1');
    await terminal.shows('A question waits');
    expect(terminal.text).not.toContain('wants to run');

    terminal.press(CTRL_C);
    await terminal.shows('Bash wants to run');
    terminal.press('1');

    await terminal.shows('Made.');
  });
});
