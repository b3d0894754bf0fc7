// Needs: a Temporal server (started by the run).
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { endShells } from '../../src/tools/shell/background-shell';
import type { Reply } from '../../src/scripted-model/reply';
import type { ScriptedRequest } from '../../src/scripted-model/scripted-request';
import { withDurable } from '../support/durable';
import { call, calls, fileIn, says } from '../support/replies';
import { WorkerProcess } from '../support/worker-process';
import { processesIn } from '../../src/bench/processes-in';
import { until } from '../tools/shell/until';

/** Prints what the test appends to `feed`; ends when `go` lies there. */
const begin = call('Bash', {
  command: 'echo begun; touch started; until [ -e go ]; do sleep 0.02; done; echo went; exit 4',
  run_in_background: true,
});

/** The id that the model was told. */
function shellIn(request: ScriptedRequest): string {
  const [id = ''] = /bash_[0-9a-f]{8}/.exec(JSON.stringify(request.body)) ?? [];
  return id;
}

test('the turn goes on while the shell runs, and a later turn is told that it has ended', () =>
  withDurable(
    { script: [calls(begin), says('It runs.'), says('It failed.'), says('I know.')] },
    async (durable) => {
      expect(await durable.ask('Begin.')).toMatchObject({ result: 'It runs.' });
      await fileIn(durable.project, 'started');
      appendFileSync(join(durable.project, 'go'), '');
      await until(() => processesIn(durable.project).length === 0);

      await durable.ask('And?');
      await durable.ask('And now?');

      const [, , third, fourth] = durable.requestMessages.map((each) => JSON.stringify(each));
      expect(third).toMatch(/And\?.*<task-notification>.*exit code 4/);
      expect(fourth?.match(/<task-notification>/g)).toHaveLength(1);
    },
  ));

test('a shell outlives a killed Worker; the next one shows what is new and ends it', () => {
  const replies = [
    () => calls(begin),
    () => says('It runs.'),
    (id: string) => calls(call('BashOutput', { bash_id: id })),
    (id: string) => calls(call('BashOutput', { bash_id: id }), call('KillShell', { shell_id: id })),
    () => says('It is gone.'),
  ];
  const script = (request: ScriptedRequest, index: number): Reply =>
    replies[index]?.(shellIn(request)) ?? says('Too much.');
  return withDurable({ script, isServed: false }, async (durable) => {
    let worker = await WorkerProcess.start(durable);
    try {
      await durable.ask('Begin.');
      await fileIn(durable.project, 'started');
      await worker.kill();
      worker = await WorkerProcess.start(durable);

      expect(await durable.ask('And?')).toMatchObject({ result: 'It is gone.' });

      const results = JSON.stringify(durable.requestMessages.at(-1));
      expect(results).toMatch(/running<\/status>\\n<output>\\nbegun\\n.*<output>\\n\\n/);
      expect(results).toMatch(/was ended with everything it had started/);
      expect(processesIn(durable.project)).toEqual([]);
    } finally {
      await worker.kill();
      await endShells(durable.session.folderPath('shells'));
    }
  });
});
