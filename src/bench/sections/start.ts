import { sampled } from '../figure';
import { GOALS } from '../goals';
import type { Size } from '../options';
import type { Measured } from '../report';
import type { Rig } from '../rig';

const PATIENCE_MS = 60_000;

/** A command from its start to its first request and to its end; server warm, session fresh. */
export async function measureStart(rig: Rig, size: Size): Promise<Measured> {
  const toRequest: number[] = [];
  const toExit: number[] = [];
  for (let run = 0; run < size.starts; run += 1) {
    await rig.model.play([{ content: [{ type: 'text', text: 'Hello.' }] }]);
    const command = rig.everloop('-p', 'hi');
    const { arrivedAtMs } = await rig.model.request(0, PATIENCE_MS);
    await command.succeed();
    toRequest.push(arrivedAtMs - command.startedAtMs);
    toExit.push((command.endedAtMs ?? Number.NaN) - command.startedAtMs);
  }
  return {
    figures: [
      sampled('process started → request', 'ms', toRequest, GOALS.startMs),
      sampled('process started → exit', 'ms', toExit),
    ],
    curves: [],
    notes: ['`node bin/everloop -p hi`, spawned by the benchmark; the Temporal server runs.'],
  };
}
