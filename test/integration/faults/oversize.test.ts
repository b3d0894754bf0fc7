// Needs: a Temporal server (started by the run).
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply, ReplyBlock } from '../../../src/scripted-model/reply';
import { withDurable, type Durable, type Message } from '../../support/durable';
import { eventsOf, plainText, runsOf } from '../../support/histories';
import { call, calls, says } from '../../support/replies';

const MEGABYTE = 2 ** 20;
const MARKER = 'marker!';
const markers = (bytes: number): string => MARKER.repeat(Math.ceil(bytes / MARKER.length));

/** The model counts few tokens, whatever it was sent: the size alone is what these tests are about. */
const usage = { input_tokens: 10, output_tokens: 5 };
const small = (...blocks: readonly ReplyBlock[]): Reply => ({ ...calls(...blocks), usage });

/** Asks once and looks at everything that Event History holds of it. */
async function ask(durable: Durable, prompt: string, options: Message['options'] = {}) {
  const id = await durable.say(prompt, { options });
  const result = await durable.resultOf(id);
  const workflowIds = [durable.sessionWorkflowId, durable.queryHandle(id).workflowId];
  const runs = await Promise.all(workflowIds.map((one) => runsOf(durable.client, one)));
  const events = eventsOf(runs.flat());
  return { result, history: plainText(events), largest: Math.max(...events.map(sizeOf)) };
}

const sizeOf = (event: object): number => plainText([event]).length;
const LARGEST_EVENT = 8_000;

const TOO_LONG = 'prompt is too long: 786432 tokens > 200000 maximum';

test('a prompt of 3 MB ends the query with an error that names the cure', () => {
  const script = [{ error: { type: 'invalid_request_error', message: TOO_LONG } } as const];
  return withDurable({ script }, async (durable) => {
    // The first 200 characters are shown to people.
    const prompt = `${'Read this. '.repeat(20)}${markers(3 * MEGABYTE)}`;
    const { result, history, largest } = await ask(durable, prompt);

    expect(result).toMatchObject({
      terminal_reason: 'prompt_too_long',
      result: expect.stringContaining('Start a new session, or attach less.') as string,
    });
    expect(history).not.toContain(MARKER);
    expect(largest).toBeLessThan(LARGEST_EVENT);
  });
});

test.each([1, 3])('a tool input of %i MB is carried out', (megabytes) => {
  const content = markers(megabytes * MEGABYTE);
  const script = [small(call('Write', { file_path: 'big.txt', content })), says('Done.')];
  return withDurable({ script }, async (durable) => {
    const { result, history, largest } = await ask(durable, 'Write it.');

    expect(result).toMatchObject({ subtype: 'success' });
    expect(statSync(join(durable.project, 'big.txt')).size).toBe(content.length);
    expect(history).not.toContain(MARKER);
    expect(largest).toBeLessThan(LARGEST_EVENT);
  });
});

const print = `head -c ${3 * MEGABYTE} /dev/zero | tr '\\0' m`;

test.each<[string, ReplyBlock]>([
  ['output', call('Bash', { command: print })],
  ['error output', call('Bash', { command: `${print} >&2; exit 1` })],
  ['of a file', call('Read', { file_path: 'big.txt' })],
  ['found lines', call('Grep', { pattern: 'm', output_mode: 'content' })],
  [
    'an error text',
    call('Edit', { file_path: 'big.txt', old_string: 'n'.repeat(MEGABYTE), new_string: '' }),
  ],
])('a result of 3 MB (%s) reaches the model in its beginning', (_what, block) =>
  withDurable({ script: [small(block), says('Done.')] }, async (durable) => {
    writeFileSync(join(durable.project, 'big.txt'), `${'m'.repeat(3 * MEGABYTE)}\n`);
    const { result, history, largest } = await ask(durable, 'Look.');

    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    const sent = JSON.stringify(durable.requestMessages[1]).length;
    expect(sent).toBeLessThan(1.3 * MEGABYTE);
    expect(history).not.toContain('m'.repeat(201));
    expect(largest).toBeLessThan(LARGEST_EVENT);
  }),
);

test.each([
  ['PreToolUse', print],
  ['PreToolUse', `${print} >&2; exit 2`],
  ['PostToolUse', `${print} >&2; exit 2`],
  ['UserPromptSubmit', print],
  ['Stop', `[ -e stopped ] && exit; touch stopped; ${print} >&2; exit 2`],
])('a %s hook that prints 3 MB (%s) does not hold up its query', (event, command) => {
  const script = [small(call('Glob', { pattern: '*' })), small({ type: 'text', text: 'A' })];
  const again = [says('B'), says('C')];
  return withDurable({ script: [...script, ...again] }, async (durable) => {
    const folder = join(durable.project, '.claude');
    mkdirSync(folder);
    const hooks = { [event]: [{ hooks: [{ type: 'command', command }] }] };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ hooks }));
    const { result, history, largest } = await ask(durable, 'Look.');

    expect(result.terminal_reason).toBe('completed');
    expect(history).not.toContain('m'.repeat(201));
    expect(largest).toBeLessThan(LARGEST_EVENT);
  });
});

test('10,000 tools on offer, 10,000 rules and settings of 5 MB change nothing', () =>
  withDurable({ script: [says('Hello.')] }, async (durable) => {
    const folder = join(durable.project, '.claude');
    mkdirSync(folder);
    const allow = Array.from({ length: 10_000 }, (_, n) => `Bash(command-${n}:*)`);
    const env = { HUGE: 'h'.repeat(5 * MEGABYTE) };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ permissions: { allow }, env }));
    const tools = ['Read', ...Array.from({ length: 10_000 }, (_, n) => `mcp__server__tool_${n}`)];
    const { result, largest } = await ask(durable, 'Hi.', { tools, allowedTools: tools });

    expect(result).toMatchObject({ subtype: 'success', result: 'Hello.' });
    expect(largest).toBeLessThan(LARGEST_EVENT);
  }));
