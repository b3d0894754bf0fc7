import type { ChaosReport } from './chaos';
import { TROUBLES } from './trouble';

/** For people. */
export function toText(report: ChaosReport): string {
  const { troubles, sessions, silencesMs, undisturbedSilencesMs, violations } = report;
  const made = TROUBLES.map((name) => `${troubles[name]} × ${name}`).join(', ');
  return [
    `${sessions} sessions, seed ${report.seed}`,
    `trouble: ${made}`,
    `model calls: ${report.modelCalls}, of these repeated: ${report.repeatedModelCalls}`,
    `calls reported as unknown: ${report.unknown}`,
    `longest silence of a session: p50 ${seconds(quantile(silencesMs, 0.5))}, p95 ${seconds(quantile(silencesMs, 0.95))}, max ${seconds(quantile(silencesMs, 1))} (undisturbed: max ${seconds(quantile(undisturbedSilencesMs, 1))})`,
    ...violations.map(
      ({ rule, work, name, detail }) => `BROKEN ${rule}: ${work} (${name}): ${detail}`,
    ),
    violations.length === 0 ? 'Every promise was kept.' : `${violations.length} promises broken.`,
    '',
  ].join('\n');
}

/** Of sorted values; 0: there are none. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
