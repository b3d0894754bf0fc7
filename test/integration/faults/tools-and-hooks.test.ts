// Needs: a Temporal server (started by the run).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '../../../src/tools/shell/process-table';
import { withDurable, type Durable } from '../../support/durable';
import { call, calls, says } from '../../support/replies';

function withHook({ project }: Durable, event: string, hook: object): void {
  const folder = join(project, '.claude');
  mkdirSync(folder);
  const hooks = { [event]: [{ hooks: [{ type: 'command', ...hook }] }] };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ hooks }));
}

/** A process that nobody has waited for yet does nothing any more. */
const isAtWork = (pid: number): boolean => readProcess(pid)?.isZombie === false;

test('a command that never ends is ended with all that it started, and the model is told', () => {
  const command = 'echo $$ > pid; sleep 600 & trap "" TERM; while :; do sleep 1; done';
  const script = [calls(call('Bash', { command, timeout: 1_500 })), says('Done.')];
  return withDurable({ script }, async (durable) => {
    expect(await durable.ask('Work.')).toMatchObject({ result: 'Done.' });

    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/timed out|time is up|timeout/i);
    const pid = Number(readFileSync(join(durable.project, 'pid'), 'utf8'));
    expect(isAtWork(pid)).toBe(false);
  });
});

test('a command that prints without end costs the Worker no memory', () => {
  const script = [calls(call('Bash', { command: 'yes', timeout: 2_000 })), says('Done.')];
  return withDurable({ script }, async (durable) => {
    const before = process.memoryUsage().rss;

    expect(await durable.ask('Work.')).toMatchObject({ result: 'Done.' });

    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
    expect(JSON.stringify(durable.requestMessages[1]).length).toBeLessThan(100_000);
  });
});

test('where memory runs out, the system ends the command before the Worker', () => {
  const command = 'cat /proc/self/oom_score_adj';
  const script = [calls(call('Bash', { command })), says('Done.')];
  return withDurable({ script }, async (durable) => {
    await durable.ask('Work.');

    expect(JSON.stringify(durable.requestMessages[1])).toContain('"content":"1000"');
  });
});

test.each(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])(
  'a %s hook that hangs is ended after its time, and the query goes on',
  (event) => {
    const script = [calls(call('Bash', { command: 'echo ran' })), says('Done.')];
    return withDurable({ script }, async (durable) => {
      withHook(durable, event, { command: 'echo $$ > hook; sleep 600', timeout: 1 });

      expect(await durable.ask('Work.')).toMatchObject({ subtype: 'success', result: 'Done.' });

      expect(JSON.stringify(durable.requestMessages[1])).toContain('ran');
      const pid = Number(readFileSync(join(durable.project, 'hook'), 'utf8'));
      expect(isAtWork(pid)).toBe(false);
    });
  },
);
