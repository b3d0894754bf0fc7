// Needs: a Temporal server (started by the run); starts Worker processes, stops one and wakes it up.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable } from '../../support/durable';
import { call, calls, fileIn, heldCommand, says } from '../../support/replies';
import { WorkerProcess } from '../../support/worker-process';

test('a Worker that sleeps loses its session to another, and wakes up without doing harm', () => {
  const script = [
    calls(heldCommand()),
    calls(call('Bash', { command: 'echo once >> effects' })),
    says('Done.'),
    says('More.'),
  ];
  return withDurable({ script, isServed: false }, async (durable) => {
    const zombie = await WorkerProcess.start(durable);
    let successor: WorkerProcess | undefined;
    try {
      const id = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      zombie.signal('SIGSTOP');
      successor = await WorkerProcess.start(durable);
      writeFileSync(join(durable.project, 'go'), '');
      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      const before = await durable.transcript();
      zombie.signal('SIGCONT');

      expect(await durable.ask('And now?')).toMatchObject({ result: 'More.' });

      const after = await durable.transcript();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(new Set(after.map(({ uuid }) => uuid)).size).toBe(after.length);
      expect(readFileSync(join(durable.project, 'runs'), 'utf8').trim().split('\n')).toHaveLength(
        1,
      );
      expect(readFileSync(join(durable.project, 'effects'), 'utf8')).toBe('once\n');
      durable.model.assertConsumed();
      expect(durable.model.repeats).toBe(0);
    } finally {
      zombie.signal('SIGCONT');
      await zombie.kill();
      await successor?.kill();
    }
  });
  // Each task that was handed to the sleeper before the server noticed waits for its own timeout, 10 s.
}, 180_000);
