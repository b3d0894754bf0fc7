import {
  ResourceBasedController,
  type ActivityInterceptorsFactory,
  type TunerHolder,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Config } from '../config';
import type { ActivityGate } from './activity-gate';

/** How much a Worker takes on, and how long it lets that end. */
export type Capacity = Pick<Config, 'activitySlots' | 'pollers' | 'graceMs'>;

/** Beyond the grace: for what was cut off to say so, and for the Workflow tasks that run. */
const CUT_OFF_WITHIN_MS = 9_000;

/** Where less is left, no further task is taken. A machine at its limit is slow to everybody. */
const TARGETS = { targetMemoryUsage: 0.8, targetCpuUsage: 0.9 };

/** The SDK's own; with a tuner they have to be said. */
const USUAL = { workflowTasks: 40, others: 100 } as const;

const AUTOSCALING = { type: 'autoscaling' } as const;

/** Bounded whatever runs: the SDK gives up on what does not heed the end of its grace. */
export const shutdownOptions = ({ graceMs }: Capacity) => ({
  shutdownGraceTime: graceMs,
  shutdownForceTime: graceMs + CUT_OFF_WITHIN_MS,
});

/** `gate`: null where it is always open. */
export function slotOptions(
  { activitySlots }: Capacity,
  gate: ActivityGate | null,
): Pick<WorkerOptions, 'tuner' | 'maxConcurrentActivityTaskExecutions'> {
  if (activitySlots === 'auto') return { tuner: tunerOf(byResources()) };
  if (gate !== null) return { tuner: tunerOf(gate.slots(activitySlots)) };
  return { maxConcurrentActivityTaskExecutions: activitySlots };
}

/** What comes through a closed gate. Slots by resources are the SDK's own, and polled for all the same: that must not
 *  go round at full speed. */
export const turnBackOf = (
  { activitySlots }: Capacity,
  gate: ActivityGate,
): ActivityInterceptorsFactory => gate.turnBack(activitySlots === 'auto' ? 5_000 : 1);

export function pollerOptions({
  pollers,
}: Capacity): Pick<WorkerOptions, 'workflowTaskPollerBehavior' | 'activityTaskPollerBehavior'> {
  if (pollers === 'fixed') return {};
  return { workflowTaskPollerBehavior: AUTOSCALING, activityTaskPollerBehavior: AUTOSCALING };
}

/** One for all queues of a process: they share its machine. */
let controller: ResourceBasedController | null = null;

function byResources(): TunerHolder['activityTaskSlotSupplier'] {
  controller ??= ResourceBasedController.create(TARGETS);
  return { type: 'resource-based', controller };
}

/** Workflow tasks take milliseconds of one thread: more of them at a time do not make it faster. */
const tunerOf = (
  activityTaskSlotSupplier: TunerHolder['activityTaskSlotSupplier'],
): TunerHolder => ({
  workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: USUAL.workflowTasks },
  activityTaskSlotSupplier,
  localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: USUAL.others },
  nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: USUAL.others },
});
