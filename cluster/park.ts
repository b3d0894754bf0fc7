import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../src/scripted-model/reply';
import { eachOf, tenantOf, WITHIN_MS, type Crowd } from './crowd';

const AT_ONCE = 8;
const LOOK_EVERY_MS = 500;
const PARKED = 'EverloopStatus = "awaiting-approval" AND ExecutionStatus = "Running"';
const ASKS: Reply = {
  content: [{ type: 'tool_use', name: 'Write', input: { file_path: 'parked.txt', content: '' } }],
};

/** Begins sessions that wait for a person to allow a change: the Workflows of session and query stay open.
 *  Resolves with the ms that it took until the last was parked. */
export async function park(crowd: Crowd, count: number): Promise<number> {
  const beganAt = performance.now();
  await eachOf(count, AT_ONCE, async (index) => {
    const tenant = tenantOf(crowd, index);
    const content = crowd.model.expect(`parked ${index}`, { replies: [ASKS] });
    await tenant.say(await tenant.begin(), content);
  });
  const { client } = tenantOf(crowd, 0);
  const deadline = Date.now() + WITHIN_MS;
  while ((await client.workflow.count(PARKED)).count < count) {
    if (Date.now() > deadline) throw new Error(`Not all ${count} sessions were parked in time.`);
    await delay(LOOK_EVERY_MS);
  }
  return performance.now() - beganAt;
}
