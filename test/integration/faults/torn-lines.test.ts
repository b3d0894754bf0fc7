// Needs: a Temporal server (started by the run); starts Worker processes and kills them.
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable } from '../../support/durable';
import { call, calls, says } from '../../support/replies';
import { WorkerProcess } from '../../support/worker-process';

const linesFiles = (home: string): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && !name.includes('torn'))
    .map((name) => join(home, name));

const isWhole = (file: string): boolean =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .every((line) => typeof JSON.parse(line) === 'object');

test('half a line at the end of transcript, ledger and log is cut off, and the session goes on', () => {
  const write = call('Write', { file_path: 'a.txt', content: 'a' });
  const script = [calls(write), says('One.'), calls(write), says('Two.')];
  return withDurable({ script, isServed: false }, async (durable) => {
    let worker = await WorkerProcess.start(durable);
    try {
      await durable.ask('1?');
      const before = await durable.transcript();
      await worker.kill();
      const files = linesFiles(durable.home);
      for (const file of files) appendFileSync(file, '{"type":"half a li');
      worker = await WorkerProcess.start(durable);

      expect(await durable.ask('2?')).toMatchObject({ result: 'Two.' });

      expect(files.length).toBeGreaterThanOrEqual(3);
      expect(linesFiles(durable.home).filter((file) => !isWhole(file))).toEqual([]);
      expect((await durable.transcript()).slice(0, before.length)).toEqual(before);
    } finally {
      await worker.kill();
    }
  });
});
