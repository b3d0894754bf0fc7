// Needs: a Temporal server (started by the run) and the built program.
import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../../../src/scripted-model/reply';
import {
  promptLine,
  STREAM_JSON,
  withCommands,
  type CommandWorld,
  type Line,
  type RunningCommand,
} from './command-world';

/** How long the reader stops; the promise is for 60,000. */
const STOPPED_MS = Number(process.env['EVERLOOP_TEST_STOPPED_READER_MS'] ?? 3_000);
const MOST_MB = 20;
const PARTIALS = [...STREAM_JSON, '--include-partial-messages'];
const TURNS = 8;

const text = (length: number): string => 'four letter words is '.repeat(length / 20);
const long = (length: number): Reply => ({
  content: [{ type: 'text', text: text(length) }],
  deltaChars: 20,
});

/** All text deltas, put together. */
function streamedText(lines: readonly Line[]): string {
  const events = lines.filter(({ type }) => type === 'stream_event').map(({ event }) => event);
  const deltas = events as readonly { readonly delta?: { readonly text?: string } }[];
  return deltas.map(({ delta }) => delta?.text ?? '').join('');
}

/** Lets the reader stop until the model has said all, and at least so long. Returns how much memory that took. */
async function stopReading(
  { model }: CommandWorld,
  command: RunningCommand,
  requests: number,
): Promise<number> {
  const begin = Date.now();
  const before = command.memoryMB;
  let most = before;
  const isAnswered = (): boolean =>
    model.requests.length === requests &&
    model.requests.every(({ outcome }) => outcome === 'answered');
  while (!isAnswered() || Date.now() < begin + STOPPED_MS) {
    await pause(50);
    most = Math.max(most, command.memoryMB);
  }
  return most - before;
}

test(
  'a reader that stops loses nothing, and its command keeps nothing in memory for it',
  () =>
    withCommands({ script: [long(200_000), long(200_000)] }, async (world) => {
      const command = world.start(PARTIALS).read();
      command.say(promptLine('warm up'));
      await command.line('result');
      const before = command.lines.length;

      command.stdout.pause();
      command.say(promptLine('go'));
      const grownMB = await stopReading(world, command, 2);
      const seen = command.lines.length - before;
      command.stdout.resume();
      await command.line('result', 1);

      expect(streamedText(command.lines.slice(before))).toBe(text(200_000));
      expect(seen).toBeLessThan(2_000);
      expect(grownMB).toBeLessThanOrEqual(MOST_MB);
    }),
  STOPPED_MS + 180_000,
);

test(
  'the deltas of turns that went by while nobody read are there for the reader who comes back',
  () =>
    withCommands({ script: [...turns(), long(20)] }, async (world) => {
      const command = world.start([...PARTIALS, '--permission-mode', 'bypassPermissions']);
      command.say(promptLine('go'));
      command.stdin.end();

      await stopReading(world, command, TURNS + 1);
      command.read();
      const code = await command.ended;

      expect(streamedText(command.lines)).toBe(`${text(20_000).repeat(TURNS)}${text(20)}`);
      expect(code).toBe(0);
    }),
  STOPPED_MS + 180_000,
);

/** Each says more than the pipe holds, and calls a tool. */
const turns = (): readonly Reply[] =>
  Array.from({ length: TURNS }, () => ({
    content: [
      { type: 'text', text: text(20_000) },
      { type: 'tool_use', name: 'Bash', input: { command: 'true', description: 'Nothing' } },
    ],
    deltaChars: 20,
  }));
