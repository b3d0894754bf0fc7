import type { MetricsExporterConfig } from '@temporalio/worker';

/** An endpoint with the SDK's figures and ours: `http://<bindAddress>/metrics`, as Prometheus names and counts
 *  things (`_total`, `_seconds`). */
export const prometheusAt = (bindAddress: string): MetricsExporterConfig => ({
  prometheus: {
    bindAddress,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: BUCKETS,
  },
});

/** The usual buckets end at what a network request takes. */
const BUCKETS: Record<string, number[]> = {
  // From a cache read to a long context with the dearest model.
  everloop_cost_usd: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  everloop_stop_latency_seconds: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
  everloop_tool_overlap_seconds: [0.1, 0.5, 1, 5, 15, 60, 300],
};
