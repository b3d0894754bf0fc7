import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchSession, untilLogged } from '../bench-session';
import { clockMs } from '../clock';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import type { Size } from '../options';
import { processesIn } from '../processes-in';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import { whileServed } from '../served';
import {
  STUBBORN_TREES,
  goesOn,
  lastSign,
  writeTreeScripts,
  type StubbornTree,
} from './stubborn-trees';

const PATIENCE_MS = 60_000;
/** A tree that is there for longer counts as left behind. */
const GONE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 2;

/** From the interrupt to the end of what it is meant for. */
export async function measureStop(rig: Rig, size: Size): Promise<Measured> {
  const inStream: number[] = [];
  const inTool: number[] = [];
  let left = 0;
  await whileServed(rig, async () => {
    for (let run = 0; run < size.stops; run += 1) {
      inStream.push(await stopInStream(rig));
      const stopped = await stopInTool(rig, run);
      inTool.push(stopped.tookMs);
      if (stopped.isLeft) left += 1;
      if ((run + 1) % 10 === 0) rig.log(`stop: ${run + 1} of ${size.stops}`);
    }
  });
  return {
    figures: [
      sampled('in mid-stream: interrupt → request closed', 'ms', inStream, GOALS.stopP95Ms),
      sampled('in a Bash command: interrupt → process tree gone', 'ms', inTool, GOALS.stopP95Ms),
      single('trees left behind', 'times', left, GOALS.none),
    ],
    curves: [],
    notes: [
      'In mid-stream: the model sees its client close the connection.',
      `In a Bash command: no process works in the folder of the command any more (asked every ${LOOK_EVERY_MS} ms), and none gives a sign of life. The trees in turn: ${STUBBORN_TREES.map(({ name }) => name).join('; ')}. Those that ignore SIGTERM are given 200 ms.`,
    ],
  };
}

async function stopInStream(rig: Rig): Promise<number> {
  const { model, connected } = rig;
  await model.play([
    {
      content: [{ type: 'text', text: 'word '.repeat(100) }],
      interruptions: [{ type: 'hold', name: 'until stopped', afterDeltas: 3 }],
    },
  ]);
  const session = await BenchSession.create(rig);
  const messageId = await session.submit('go', { isLast: true });
  await model.request(0, PATIENCE_MS);
  await untilLogged(session.store, 'stream_started');
  const stoppedAtMs = clockMs();
  await connected.agent.interrupt(session.store.meta.sessionId, 'user');
  const { leftAtMs } = await model.departure(0, PATIENCE_MS);
  await session.answered(messageId);
  return leftAtMs - stoppedAtMs;
}

async function stopInTool(
  rig: Rig,
  run: number,
): Promise<{ readonly tookMs: number; readonly isLeft: boolean }> {
  const { model, connected } = rig;
  const tree = STUBBORN_TREES[run % STUBBORN_TREES.length];
  if (tree === undefined) throw new Error('unreachable');
  const folder = join(rig.project, `stop-${run}`);
  mkdirSync(folder);
  writeTreeScripts(folder);
  await model.play([callOf(tree, folder)]);
  const session = await BenchSession.create(rig);
  const messageId = await session.submit('go', { isLast: true });
  await untilTrue(() => existsSync(join(folder, 'ready')), PATIENCE_MS);
  const stoppedAtMs = clockMs();
  // Signs are times of files.
  const stoppedOnDiskMs = Date.now();
  await connected.agent.interrupt(session.store.meta.sessionId, 'user');
  await untilTrue(() => processesIn(folder).length === 0, GONE_WITHIN_MS);
  const unseenMs = clockMs() - stoppedAtMs;
  await session.answered(messageId);
  const isLeft = await goesOn(folder);
  const tookMs = Math.max(unseenMs, lastSign(folder) - stoppedOnDiskMs);
  // What is left ends with its folder.
  rmSync(folder, { recursive: true, force: true });
  return { tookMs, isLeft };
}

const callOf = ({ command }: StubbornTree, folder: string) => ({
  content: [
    {
      type: 'tool_use' as const,
      name: 'Bash',
      input: { command: `cd ${folder}\n${command}`, description: 'Stays' },
    },
  ],
});

/** Returns also when the time is over. */
async function untilTrue(isSo: () => boolean, withinMs: number): Promise<void> {
  const deadline = clockMs() + withinMs;
  while (!isSo() && clockMs() < deadline) await pause(LOOK_EVERY_MS);
}
