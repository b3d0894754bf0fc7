// Needs: a Temporal server (started by the run).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryStatus } from '../../src/workflows/interface';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const overloaded = { error: { type: 'overloaded_error' } } as const;
const usage = {
  input_tokens: 90_000,
  output_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const SCRIPT = [
  overloaded,
  overloaded,
  overloaded,
  calls(call('Write', { file_path: 'a.txt', content: '' })),
  { ...says('A long'), stop_reason: 'max_tokens' },
  says('I think that is it.'),
  { ...calls(heldCommand()), usage },
  says('Done.'),
] as const;

const OPTIONS = {
  fallbackModel: 'claude-haiku-4-5',
  disallowedTools: ['Write'],
};

/** A Stop hook that objects once. */
const OBJECTS = `if grep -q '"stop_hook_active":true'; then exit 0; fi; echo 'Run it first.' >&2; exit 2`;

function hookUp({ project }: Durable): void {
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: OBJECTS }] }] };
  mkdirSync(join(project, '.claude'), { recursive: true });
  writeFileSync(join(project, '.claude/settings.json'), JSON.stringify({ hooks }));
}

test('whoever asks a running query sees why it goes on, what was denied, how full it is and who answers', () =>
  withDurable({ script: SCRIPT }, async (durable) => {
    hookUp(durable);
    const id = await durable.say('Work.', { options: OPTIONS });
    await fileIn(durable.project, 'started');
    const status = await durable.queryHandle(id).query(queryStatus);
    writeFileSync(join(durable.project, 'go'), '');

    // The loop does not stop: which turn it is in, and why.
    expect(status).toMatchObject({ turn: 2, transition: 'stop_hook_blocking' });
    // Truncated replies, and hooks that object.
    expect(status.counters.recoveries).toEqual({
      max_output_tokens_recovery: 1,
      stop_hook_blocking: 1,
    });
    // A tool was not run: it was denied.
    expect(status.tally.denied).toHaveLength(1);
    // The context grows.
    expect(status.counters).toMatchObject({ iterations: 4, contextTokens: 90_010, compactions: 0 });
    // Another model answers.
    expect(Object.keys(status.tally.usageByModel)).toEqual(['claude-haiku-4-5']);
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
  }));

test('whoever asks sees that the context is nearly full before it is summarised', () => {
  const full = { ...usage, input_tokens: 150_000 };
  const look = call('Glob', { pattern: '*' });
  const script = [
    { ...calls(look), usage: full },
    { ...calls(heldCommand()), usage: full },
  ];
  return withDurable({ script: [...script, says('Done.')] }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    const { counters } = await durable.queryHandle(id).query(queryStatus);
    writeFileSync(join(durable.project, 'go'), '');

    expect(counters).toMatchObject({ contextWarning: 'error', compactions: 0 });
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
  });
});
