import { join } from 'node:path';
import { DEFAULT_GATES } from '../../loop/gates';
import type { Reply } from '../../scripted-model/reply';
import { activitySpans } from '../activity-span';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import { oneToolTurns } from '../model/one-tool-turns';
import { sleepingTools } from '../model/sleeping-tools';
import type { Size } from '../options';
import { runTurns, warmUp } from '../our-turns';
import type { Figure, Measured } from '../report';
import type { Rig } from '../rig';
import { perTurn, type RunChain } from '../run-chain';
import { whileServed } from '../served';
import { medianOf } from '../summary';
import type { TurnRun } from '../turn-run';
import { OUR_FIRST_ACTIVITY } from './turn-figures';

/** Seconds that the four calls of a reply take. */
const EVEN = [1, 1, 1, 1];
const LONG_FIRST = [3, 1, 1, 1];
const ONE_TOOL_TURNS = 40;

/** The same runs with tools that start while the reply still streams, and without. */
interface Pair {
  readonly early: TurnRun;
  readonly plain: TurnRun;
}

export async function measureOverlap(rig: Rig, size: Size): Promise<Measured> {
  return whileServed(rig, async ({ pid: workerPid }) => {
    await warmUp(rig, workerPid, size.warmUps);
    const run = (replies: readonly Reply[], streamingToolExecution: boolean): Promise<TurnRun> =>
      runTurns(rig, {
        workerPid,
        turns: replies.length - 1,
        replies,
        options: { gates: { ...DEFAULT_GATES, streamingToolExecution } },
      });
    const pairs = async (replies: () => readonly Reply[]): Promise<readonly Pair[]> => {
      const all: Pair[] = [];
      for (let round = 0; round < size.overlaps; round += 1) {
        all.push({ early: await run(replies(), true), plain: await run(replies(), false) });
      }
      return all;
    };
    const even = await pairs(() => sleepingTools(EVEN));
    const longFirst = await pairs(() => sleepingTools(LONG_FIRST));
    const one = await pairs(() => oneToolTurns(ONE_TOOL_TURNS, join(rig.project, 'files')));
    return {
      figures: [
        ...fourToolFigures('four tools', even),
        ...fourToolFigures('four tools, long one first', longFirst),
        ...oneToolFigures(one),
      ],
      curves: [],
      notes: [
        'Four tools: Bash `sleep 1` (long one first: `sleep 3` and three times `sleep 1`) in a reply that streams for five seconds, a text and the calls, a second each. "Without": the switch streamingToolExecution is off.',
        "Hidden: the part of the tools' time (runTool scheduled to completed) that lies before the end of the reply (callModel completed).",
        'A call may start when the stream goes on behind it, so the last one never does. Four that take the same time would run side by side when the reply is there: as much is hidden, but nothing is saved.',
        `One tool: ${ONE_TOOL_TURNS} turns with a Read each, both ways in turn. Nothing comes behind the call, so that nothing may be paid for it.`,
      ],
    };
  });
}

function fourToolFigures(name: string, pairs: readonly Pair[]): Figure[] {
  const early = pairs.map((pair) => pair.early);
  const plain = pairs.map((pair) => pair.plain);
  const hidden = (runs: readonly TurnRun[]): number[] =>
    runs.map(({ chain }) => hiddenPercentOf(chain));
  const seconds = (runs: readonly TurnRun[]): number[] =>
    runs.flatMap(({ turnMs }) => turnMs.map((ms) => ms / 1_000));
  const [whole, wholePlain] = [seconds(early), seconds(plain)];
  return [
    sampled(`${name}: time hidden in the stream`, '%', hidden(early), GOALS.overlapPercent),
    sampled(`${name}: time hidden in the stream, without`, '%', hidden(plain)),
    sampled(`${name}: request → next request`, 's', whole),
    sampled(`${name}: request → next request, without`, 's', wholePlain),
    single(`${name}: saved`, 's', medianOf(wholePlain) - medianOf(whole)),
    single(`${name}: with / without`, 'ratio', medianOf(whole) / medianOf(wholePlain)),
    single(`${name}: events for starting early`, 'events', eventsOf(early) - eventsOf(plain)),
  ];
}

function oneToolFigures(pairs: readonly Pair[]): Figure[] {
  const early = pairs.map((pair) => pair.early);
  const plain = pairs.map((pair) => pair.plain);
  const [ms, plainMs] = [early, plain].map((runs) => runs.flatMap(({ turnMs }) => turnMs));
  const events = (runs: readonly TurnRun[]): number[] =>
    runs.flatMap(({ chain }) => perTurn(chain, OUR_FIRST_ACTIVITY).map((turn) => turn.events));
  return [
    sampled('one tool: events a turn', 'events', events(early)),
    sampled('one tool: events a turn, without', 'events', events(plain)),
    single(
      'one tool: more events a turn',
      'events',
      medianOf(events(early)) - medianOf(events(plain)),
      GOALS.extraEvents,
    ),
    sampled('one tool: time a turn', 'ms', ms ?? []),
    sampled('one tool: time a turn, without', 'ms', plainMs ?? []),
    single(
      'one tool: with / without',
      'ratio',
      medianOf(ms ?? []) / medianOf(plainMs ?? []),
      GOALS.earlyOverPlain,
    ),
  ];
}

const eventsOf = (runs: readonly TurnRun[]): number =>
  medianOf(runs.map(({ chain }) => chain.events));

function hiddenPercentOf({ history }: RunChain): number {
  const spans = activitySpans(history);
  const endOfReply = spans.find(({ name }) => name === OUR_FIRST_ACTIVITY)?.completedAtMs ?? 0;
  const tools = spans.filter(({ name }) => name === 'runTool');
  const sum = (end: (completedAtMs: number) => number): number =>
    tools.reduce((total, { scheduledAtMs, completedAtMs }) => {
      return total + Math.max(0, end(completedAtMs) - scheduledAtMs);
    }, 0);
  return (
    (sum((completed) => Math.min(completed, endOfReply)) / sum((completed) => completed)) * 100
  );
}
