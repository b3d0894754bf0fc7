import { isUnknown, readLeft, violationsIn } from './audit';
import { FAULTS, type Fault } from './faults';
import { nothingObserved, type Observed } from './observed';
import { SimMachine, type MachineOptions } from './sim-machine';
import { SimReader } from './sim-reader';
import { fileOf, SimSession } from './sim-session';
import { enter } from './virtual-node';

/** More than any sound history takes. */
const MOST_STEPS = 60_000;
/** The machine goes down once more when everything is over: what was told must be there. */
const LAST_POWER_CUT = 0.3;

/** One history, from its seed. */
export interface SimulatedHistory {
  readonly seed: number;
  /** Promises that were broken, for people; empty: none. */
  readonly violations: readonly string[];
  readonly steps: number;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly calls: number;
  readonly unknownCalls: number;
}

export type SimulationOptions = Pick<MachineOptions, 'seed'> &
  Partial<Pick<MachineOptions, 'plant' | 'trace'>>;

/** Plays the history of a seed: the store, the ledger and the Activities of the product on a machine whose
 *  processes, disk and clock are simulated. The same seed is the same history. Not two at a time. */
export async function simulate(options: SimulationOptions): Promise<SimulatedHistory> {
  const { seed, plant = null, trace = () => undefined } = options;
  const observed = nothingObserved();
  const onEffect = (call: string): void => {
    observed.effects.set(call, (observed.effects.get(call) ?? 0) + 1);
  };
  const machine = new SimMachine({ seed, plant, trace, onEffect });
  const { scheduler, disk, commands, faults } = machine;
  const leave = enter({ scheduler, disk, spawn: commands.spawn });
  try {
    const story = { isOver: false };
    const told = tell(machine, observed).finally(() => (story.isOver = true));
    // Whatever it fails with is heard below.
    told.catch(() => undefined);
    await scheduler.run(faults, () => story.isOver, MOST_STEPS);
    if (!story.isOver) throw new Error('The history came to a standstill.');
    await told;
  } catch (error) {
    observed.violations.push(String(error));
  } finally {
    leave();
  }
  return {
    seed,
    violations: observed.violations,
    steps: scheduler.steps,
    faults: Object.fromEntries(FAULTS.map((fault) => [fault, faults.count(fault)])) as Record<
      Fault,
      number
    >,
    calls: observed.calls.size,
    unknownCalls: observed.unknownCalls.size,
  };
}

async function tell(machine: SimMachine, observed: Observed): Promise<void> {
  const session = new SimSession(machine, observed);
  const reader = new SimReader(machine, observed);
  machine.startWorker();
  void reader.readOn();
  await session.play();
  machine.faults.end();
  const isCutAtEnd = machine.random.chance(LAST_POWER_CUT);
  if (isCutAtEnd) machine.cutPower();
  const left = await session.asClient('reads what is left', () => readLeft(observed));
  await reader.hasSeen(left.log.at(-1));
  for (const id of observed.calls.keys()) {
    const file = machine.files.find(fileOf(id));
    if (file?.kind === 'file') observed.written.set(id, file.content().toString());
  }
  for (const [id, entry] of left.results) {
    if (isUnknown(entry)) observed.unknownCalls.add(id);
  }
  observed.violations.push(
    ...violationsIn(observed, left, {
      powerCuts: machine.faults.count('power cut') + (isCutAtEnd ? 1 : 0),
      diskErrors: machine.faults.count('disk error'),
    }),
  );
}
