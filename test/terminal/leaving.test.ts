// Needs: a Temporal server (started by the run), and the built product, which it drives in a real pty.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { calls, fileIn, heldCommand, says } from '../support/replies';
import { CTRL_B, CTRL_C, ENTER, withTerminals, type PtyTerminal, type PtyWorld } from './pty-world';

jest.setTimeout(300_000);

const FREELY = ['--permission-mode', 'bypassPermissions'];
const go = ({ project }: PtyWorld): void => writeFileSync(join(project, 'go'), '');
const runs = ({ project }: PtyWorld): number =>
  readFileSync(join(project, 'runs'), 'utf8').trim().split('\n').length;

function sessionOf(terminal: PtyTerminal): string {
  const id = /--resume (?<id>[0-9a-f-]{36})/.exec(terminal.text)?.groups?.['id'];
  if (id === undefined) throw new Error(`No session is named:\n${terminal.text}`);
  return id;
}

test('Ctrl-B leaves in mid-work: it goes on in the background, and whoever comes back sees all of it', async () => {
  await withTerminals({ script: [calls(heldCommand()), says('Went on alone.')] }, async (world) => {
    const first = world.open(FREELY);
    await first.say('work');
    await fileIn(world.project, 'started');
    first.press(CTRL_B);
    expect(await first.ended).toBe(0);
    await first.shows('goes on in the background');
    await first.shows('Come back');

    go(world);
    await world.model.waitForRequest(1, { timeoutMs: 90_000 });
    const second = world.open(['--resume', sessionOf(first)]);

    await second.shows('Went on alone.');
    expect(second.text).toContain('> work');
    expect(runs(world)).toBe(1);
  });
});

test('re-attached in the middle of a reply, the terminal shows what came before and what comes', async () => {
  const reply: Reply = {
    ...says(`Beginning. ${'More of it. '.repeat(30)} The end.`),
    deltaChars: 40,
    interruptions: [{ type: 'hold', name: 'middle', afterDeltas: 5 }],
  };
  await withTerminals({ script: [reply, says('Again.')] }, async (world) => {
    const first = world.open();
    await first.say('tell');
    await first.shows('Beginning.');
    const second = world.open(['--continue']);
    await second.shows('Beginning.');
    expect(second.text).not.toContain('The end.');

    world.model.release('middle');

    await first.shows('The end.');
    await second.shows('The end.');
    await second.loses('Esc interrupts');
    await second.say('once more');
    await first.shows('Again.');
  });
});

test('SIGKILL in mid-turn: the terminal that comes back shows the past, and nothing is lost or done twice', async () => {
  await withTerminals({ script: [calls(heldCommand()), says('Survived.')] }, async (world) => {
    const first = world.open(FREELY);
    await first.say('work');
    await fileIn(world.project, 'started');
    await first.say('this was waiting');
    await first.shows('(sent)');
    await first.kill();

    const second = world.open(['--continue', ...FREELY]);
    await second.shows('> work');
    go(world);

    await second.shows('Survived.');
    expect(runs(world)).toBe(1);
    expect(JSON.stringify(world.model.requests[1]?.body.messages)).toContain('this was waiting');
    await second.shows('> this was waiting');
    await second.kill();

    const third = world.open(['--continue', ...FREELY]);
    await third.shows(/> this was waiting[^]*Survived\./);
  });
});

test('a question that was open at a SIGKILL is asked again', async () => {
  await withTerminals({ script: [calls(heldCommand()), says('Allowed later.')] }, async (world) => {
    const first = world.open();
    await first.say('work');
    await first.shows('Bash wants to run');
    await first.kill();
    go(world);

    const second = world.open(['--continue']);
    await second.shows('Bash wants to run');
    second.press('1');

    await second.shows('Allowed later.');
    expect(runs(world)).toBe(1);
  });
});

test('Ctrl-C twice leaves, with the terminal as it was and the session named', async () => {
  await withTerminals({ script: [says('Hello.')] }, async (world) => {
    const terminal = world.open();
    await terminal.say('hi');
    await terminal.shows('● Hello.');
    await terminal.loses('Esc interrupts');
    terminal.press(CTRL_C);
    await terminal.shows('Ctrl-C again leaves.');
    // The warning may have passed by now: two keys in one go are a wish of their own.
    terminal.press(CTRL_C + CTRL_C);

    expect(await terminal.ended).toBe(0);
    await terminal.shows('Come back: everloop --resume');
    expect(sessionOf(terminal)).toHaveLength(36);
    expect(terminal.raw).toContain('\x1b[?2004l');
    expect(terminal.raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(
      terminal.raw.lastIndexOf('\x1b[?25l'),
    );
  });
});

test('/clear begins anew, /sessions goes back', async () => {
  await withTerminals({ script: [says('One.'), says('Two.'), says('Three.')] }, async (world) => {
    const terminal = world.open();
    await terminal.say('first');
    await terminal.shows('● One.');
    await terminal.loses('Esc interrupts');
    await terminal.say('/clear');
    await terminal.loses('● One.');
    await terminal.say('second');
    await terminal.shows('● Two.');
    await terminal.loses('Esc interrupts');

    await terminal.say('/sessions');
    await terminal.shows('this one');
    terminal.press('2');
    await terminal.shows('● One.');
    terminal.press('third');
    await terminal.shows('third');
    terminal.press(ENTER);

    await terminal.shows('● Three.');
    expect(JSON.stringify(world.model.requests[2]?.body.messages)).toMatch(/first.*One\..*third/);
  });
});
