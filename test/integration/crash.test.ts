// Needs: a Temporal server (started by the run); starts Worker processes and kills them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { withDurable, type Durable } from '../support/durable';
import { normalise } from '../support/normalise';
import { call, calls, fileIn, heldCommand, text } from '../support/replies';
import { WorkerProcess } from '../support/worker-process';

// A request that is sent again finds its prefix in the cache; the conversation is the same all the same.
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const SCRIPT: readonly Reply[] = [
  { ...calls(call('Write', { file_path: 'notes.txt', content: 'a' })), usage },
  { ...calls(heldCommand()), usage },
  { ...calls(call('Edit', { file_path: 'notes.txt', old_string: 'a', new_string: 'ab' })), usage },
  { content: [text('Almost'), { ...text(' done.'), hold: 'mid-stream' }], usage },
];

let project: string;
let undisturbed: Awaited<ReturnType<typeof work>>;
beforeAll(async () => {
  project = join(mkdtempSync(join(tmpdir(), 'everloop-crash-')), 'project');
  undisturbed = await work(null);
});
afterAll(() => rmSync(join(project, '..'), { recursive: true }));

type Moment = (durable: Durable) => Promise<void>;

/** The reference work; at the moment given, the Worker is killed and another one takes over. */
async function work(crashAt: Moment | null) {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  let left: { conversation: readonly unknown[]; repeats: number } | undefined;
  await withDurable(
    { script: SCRIPT, match: 'conversation', project, isServed: false },
    async (durable) => {
      const { model } = durable;
      let worker = await WorkerProcess.start(durable);
      try {
        const id = await durable.say('Work.');
        if (crashAt !== null) {
          await crashAt(durable);
          await worker.kill();
          const killedAtMs = Date.now();
          writeFileSync(join(project, 'go'), '');
          model.release('mid-stream');
          const before = model.requests.length;
          worker = await WorkerProcess.start(durable);
          const upAtMs = Date.now();
          const { arrivedAtMs } = await model.waitForRequest(before, { timeoutMs: 30_000 });
          const [sinceKill, sinceUp] = [arrivedAtMs - killedAtMs, arrivedAtMs - upAtMs];
          process.stdout.write(
            `  kill → next request ${sinceKill} ms, of these ${sinceUp} ms after the next Worker polled\n`,
          );
        } else {
          writeFileSync(join(project, 'go'), '');
          model.release('mid-stream');
        }
        expect(await durable.resultOf(id)).toMatchObject({ subtype: 'success' });
        model.assertConsumed();
        left = { conversation: normalise(await durable.transcript()), repeats: model.repeats };
      } finally {
        await worker.kill();
      }
    },
  );
  if (left === undefined) throw new Error('The work left nothing.');
  return left;
}

const toolEnds: Moment = async (durable) => {
  await fileIn(project, 'started');
  writeFileSync(join(project, 'go'), '');
  await durable.told(
    (entry) =>
      entry.type === 'record' &&
      entry.record.type === 'user' &&
      JSON.stringify(entry.record).includes('went'),
  );
};

test.each<[string, Moment]>([
  ['before the first request', () => Promise.resolve()],
  ['while a tool runs', () => fileIn(project, 'started')],
  ['between two turns', toolEnds],
  [
    'while the model streams',
    async ({ model }) => {
      await fileIn(project, 'started');
      writeFileSync(join(project, 'go'), '');
      await model.waitUntilHeld('mid-stream', { timeoutMs: 30_000 });
    },
  ],
])('a Worker killed %s leaves the conversation of an undisturbed run', async (_when, crashAt) => {
  const crashed = await work(crashAt);

  expect(crashed.conversation).toEqual(undisturbed.conversation);
  expect(crashed.repeats).toBeLessThanOrEqual(1);
  expect(readFileSync(join(project, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readFileSync(join(project, 'notes.txt'), 'utf8')).toBe('ab');
});
