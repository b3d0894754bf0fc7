import { BaselineWorker } from '../baseline/baseline-worker';
import type { Size } from '../options';
import { runTurns } from '../our-turns';
import type { Curve, Figure, Measured } from '../report';
import type { Rig } from '../rig';
import { readRunChain } from '../run-chain';
import { whileServed } from '../served';
import { watchTurns, type TurnRun } from '../turn-run';
import { baselineFigures, curvesOf, ourFigures } from './turn-figures';

const WARM_UP_TURNS = 8;
/** A short run is over in a blink: it is repeated, each time with a fresh session. */
const REPEATS = 3;
const SHORT_RUN_TURNS = 200;

/** The same number of turns, thrice: ours, and the empty loop without and with requests. */
interface Trio {
  readonly ours: TurnRun;
  readonly silent: TurnRun;
  readonly sending: TurnRun;
}

/** N one-tool turns beside an empty loop that does the same by reference. Both have a Worker process of their own,
 *  fresh for each N, and take turns, so that a busy machine is busy for both. */
export async function measureTurns(rig: Rig, size: Size): Promise<Measured> {
  const figures: Figure[] = [];
  const curves: Curve[] = [];
  const longest = Math.max(...size.turns);
  for (const turns of size.turns) {
    const trios = await runTrios(rig, turns, size.warmUps);
    const ours = trios.map((trio) => trio.ours);
    const silent = trios.map((trio) => trio.silent);
    const sending = trios.map((trio) => trio.sending);
    figures.push(...ourFigures(ours), ...baselineFigures(ours, { silent, sending }));
    const last = trios.at(-1);
    if (turns === longest && last) curves.push(...curvesOf(last.ours, last.silent, last.sending));
  }
  return {
    figures,
    curves,
    notes: [
      'A turn: from the arrival of one model request to the arrival of the next. The tool is Read of 5,000 bytes; the reply has 450 bytes of text.',
      'Empty loop: a Workflow with two Activities a turn that do nothing, ids in and ids out. With requests: its first Activity also posts a body of the size that ours had in that turn.',
      'The request grows by some 6 KB a turn, and the conversation is summarised when its context is full, as in real life: the model counts four bytes as a token.',
    ],
  };
}

async function runTrios(rig: Rig, turns: number, warmUps: number): Promise<readonly Trio[]> {
  const baseline = await BaselineWorker.start(rig);
  try {
    return await whileServed(rig, async ({ pid }) => {
      const runTrio = async (count: number): Promise<Trio> => {
        const ours = await runTurns(rig, { workerPid: pid, turns: count });
        const silent = await runBaseline(rig, baseline, { turns: count, bodyBytes: null });
        const bodyBytes = ours.arrivals.map((arrival) => arrival.bodyBytes);
        const sending = await runBaseline(rig, baseline, { turns: count, bodyBytes });
        return { ours, silent, sending };
      };
      for (let run = 0; run < warmUps; run += 1) await runTrio(WARM_UP_TURNS);
      const trios: Trio[] = [];
      const repeats = turns <= SHORT_RUN_TURNS ? REPEATS : 1;
      for (let run = 1; run <= repeats; run += 1) {
        rig.log(`turns: ${turns}, ${run} of ${repeats}`);
        trios.push(await runTrio(turns));
      }
      return trios;
    });
  } finally {
    baseline.stop();
  }
}

async function runBaseline(
  rig: Rig,
  worker: BaselineWorker,
  { turns, bodyBytes }: { readonly turns: number; readonly bodyBytes: readonly number[] | null },
): Promise<TurnRun> {
  const { model, connected } = rig;
  await model.play(Array.from({ length: turns + 1 }, () => TEXT_REPLY));
  const workflowId = await worker.run(turns, bodyBytes);
  const watched = await watchTurns(rig, {
    turns,
    workerPid: worker.pid,
    callAt: (index, timeoutMs) => worker.ask(index, timeoutMs),
    instants: () => worker.asked,
  });
  await connected.client.workflow.getHandle(workflowId).result();
  const chain = await readRunChain(connected.client, workflowId);
  return { ...watched, chain, arrivals: model.arrivals, summaries: [] };
}

const TEXT_REPLY = { content: [{ type: 'text' as const, text: 'x'.repeat(450) }] };
