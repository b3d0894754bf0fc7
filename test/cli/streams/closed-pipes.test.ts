// Needs: a Temporal server (started by the run) and the built program.
import { promptLine, STREAM_JSON, withCommands } from './command-world';

const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const bash = (command: string) => ({
  content: [{ type: 'tool_use' as const, name: 'Bash', input: { command, description: 'Works' } }],
});
// Processes start one after the other, and a busy machine takes its time for each.
jest.setTimeout(180_000);

const BYPASS = ['--permission-mode', 'bypassPermissions'];

test('a reader that closes stdout in mid-turn: the turn ends all the same, exit 1, and attach shows it', () =>
  withCommands({ script: [{ ...answer('Done.'), hold: 'gone' }] }, async (world) => {
    const command = world.start(STREAM_JSON).read();
    command.say(promptLine('go'));
    const { session_id: sessionId } = await command.line('system');

    command.stdout.destroy();
    world.model.release('gone');
    const code = await command.ended;
    const attached = world.start(['attach', String(sessionId)]);
    let shown = '';
    attached.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));

    expect(code).toBe(1);
    expect(command.stderr).toContain('Standard output cannot be written (write EPIPE)');
    expect(command.stderr).toContain(`everloop attach ${String(sessionId)}`);
    expect(await attached.ended).toBe(0);
    expect(shown).toBe('Done.\n');
  }));

test('a stdin that closes while a tool runs is no cancel', () =>
  withCommands({ script: [bash('sleep 0.2; echo ran'), answer('Done.')] }, async (world) => {
    const command = world.start([...STREAM_JSON, ...BYPASS]).read();
    command.say(promptLine('go'));
    await command.line('assistant');

    command.stdin.destroy();
    const code = await command.ended;

    expect({ code, results: command.results }).toEqual({ code: 0, results: ['Done.'] });
  }));

test.each([
  ['a closed stderr', '2>&-'],
  ['a stderr whose disk is full', '2>/dev/full'],
  ['closed stdin and stderr', '<&- 2>&-'],
])('%s: the command works all the same', (_name, redirection) =>
  withCommands({ script: [answer('Done.')] }, async (world) => {
    const command = world.start(['-p', 'go', '--bogus-not', '--output-format', 'json'], {
      redirection,
    });
    expect(await command.ended).toBe(1);

    const next = world.start(['-p', 'go', '--output-format', 'json'], { redirection }).read();

    expect(await next.ended).toBe(0);
    expect(next.results).toEqual(['Done.']);
  }),
);

test('a stdout whose disk is full is told of, exit 1', () =>
  withCommands({ script: [answer('Done.')] }, async (world) => {
    const command = world.start(['-p', 'go'], { redirection: '>/dev/full' });

    expect(await command.ended).toBe(1);
    expect(command.stderr).toContain('Standard output cannot be written (ENOSPC');
  }));

test('a program that dies while it is asked for permission: the question waits for the next one', () =>
  withCommands({ script: [bash('echo ran > file'), answer('Done.')] }, async (world) => {
    const asked = [...STREAM_JSON, '--permission-prompt-tool', 'stdio'];
    const command = world.start(asked).read();
    command.say(promptLine('go'));
    const first = await command.line('control_request');
    const { session_id: sessionId } = await command.line('system');

    command.stdout.destroy();
    command.stdin.destroy();
    const code = await command.ended;
    const next = world.start([...asked, '--resume', String(sessionId)]).read();
    next.say({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } });
    const again = await next.line('control_request');
    next.say({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: again['request_id'],
        response: { behavior: 'allow', updatedInput: { command: 'true', description: 'x' } },
      },
    });
    const result = await next.line('result');

    expect(code).toBe(1);
    expect(command.stderr).toContain('The session waits for them: everloop --resume');
    expect(inputOf(again)).toEqual(inputOf(first));
    expect(result['result']).toBe('Done.');
  }));

const inputOf = ({ request }: Readonly<Record<string, unknown>>): unknown =>
  (request as { readonly input: unknown }).input;
