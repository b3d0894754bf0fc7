// Needs: a Temporal server (started by the run) and the built program.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promptLine, STREAM_JSON, withCommands, type CommandWorld } from './command-world';

// Processes start one after the other, and a busy machine takes its time for each.
jest.setTimeout(180_000);

const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** What the user said in the last request. */
const lastSaid = ({ model }: CommandWorld): string =>
  JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));

test('empty lines, CRLF, two messages in a chunk and a character in two chunks are read as they are meant', () =>
  withCommands({ script: ['one', 'two', 'three'].map(answer) }, async (world) => {
    const command = world.start(STREAM_JSON).read();
    const bytes = Buffer.from(`${JSON.stringify(promptLine('grün 🙂'))}\n`);
    const middle = bytes.indexOf('🙂') + 2;

    command.stdin.write(
      `\r\n\n  \n${JSON.stringify(promptLine('a'))}\r\n${JSON.stringify(promptLine('b'))}\n`,
    );
    await command.line('result', 1);
    command.stdin.write(bytes.subarray(0, middle));
    // Nearly always long enough for a chunk of its own; where characters are cut is for lines.test.ts to try.
    await pause(100);
    command.stdin.end(bytes.subarray(middle));
    const code = await command.ended;

    expect({ code, stderr: command.stderr }).toEqual({ code: 0, stderr: '' });
    expect(command.results).toEqual(['one', 'two', 'three']);
    expect(lastSaid(world)).toContain('grün 🙂');
  }));

test('a line of 10 MB reaches the model whole', () =>
  withCommands({ script: [answer('a picture')] }, async (world) => {
    const command = world.start(STREAM_JSON).read();
    const base64 = randomBytes(7_500_000).toString('base64');
    const source = { type: 'base64', media_type: 'image/png', data: base64 };

    command.stdin.end(`${JSON.stringify(promptLine([{ type: 'image', source }]))}\n`);
    const code = await command.ended;

    expect({ code, stderr: command.stderr }).toEqual({ code: 0, stderr: '' });
    expect(lastSaid(world).includes(base64)).toBe(true);
  }));

test('an input that ends in the middle of a line: what came before is answered, exit 1', () =>
  withCommands({ script: [answer('one')] }, async (world) => {
    const command = world.start(STREAM_JSON).read();

    command.stdin.end(`${JSON.stringify(promptLine('a'))}\n{"type":"user","mess`);
    const code = await command.ended;

    expect(code).toBe(1);
    expect(command.results).toEqual(['one']);
    expect(command.stderr).toBe(
      'The input ended in the middle of a line, which is left out; send it again, with a line end. Seen: {"type":"user","mess\n',
    );
  }));

test('binary garbage ends the command, shown without its orders to a terminal, and the session goes on later', () =>
  withCommands({ script: [answer('one'), answer('two')], match: 'conversation' }, async (world) => {
    const command = world.start(STREAM_JSON).read();
    command.stdin.end(
      Buffer.concat([
        Buffer.from(`${JSON.stringify(promptLine('remember me'))}\n`),
        Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x00, 0xff, 0xfe, 0x0a]),
      ]),
    );
    const code = await command.ended;
    const sessionId = /everloop --resume (\S+)/.exec(command.stderr)?.[1] ?? '';

    const next = world.start([...STREAM_JSON, '--resume', sessionId]).read();
    next.stdin.end(`${JSON.stringify(promptLine('go on'))}\n`);
    const nextCode = await next.ended;

    expect(code).toBe(1);
    expect(command.stderr).toContain('a line is not JSON');
    expect(command.stderr).toContain('Seen: \\u{1b}[31m\\u{0}');
    // What it said belongs to the report of a failure.
    const why = nextCode === 0 ? null : next.stderr;
    const after = { nextCode, why, result: next.results.at(-1) };
    expect(after).toEqual({ nextCode: 0, why: null, result: 'two' });
    expect(JSON.stringify(world.model.requests.at(-1)?.body.messages)).toContain('remember me');
  }));
