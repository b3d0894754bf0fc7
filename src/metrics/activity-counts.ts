import type { MetricMeter } from '@temporalio/common';
import type { ApiErrorKind } from '../loop/outcomes';

export type CallOutcome = 'ok' | 'error' | 'denied' | 'interrupted';

/** What is counted where it happens: only there it is known. */
export interface ActivityCounts {
  /** This process has recorded the result of a call. An attempt that finds the result of another counts nothing.
   *  `tool` null: the model made the name up. */
  toolRan(of: { readonly tool: string | null; readonly outcome: CallOutcome }): void;
  /** The API refused a request, or the connection broke. */
  requestFailed(kind: ApiErrorKind): void;
}

export function countWith(meter: MetricMeter): ActivityCounts {
  const calls = meter.createCounter('everloop_tool_calls', '', 'Tool calls by name and outcome.');
  const failures = meter.createCounter(
    'everloop_model_failures',
    '',
    'Requests to the model that failed, by kind of error.',
  );
  return {
    toolRan: ({ tool, outcome }) => calls.add(1, { tool: labelOf(tool), outcome }),
    requestFailed: (error) => failures.add(1, { error }),
  };
}

/** A server may have a thousand tools: they count as one. What the model makes up has no end at all. */
function labelOf(tool: string | null): string {
  if (tool === null) return 'unknown';
  const [prefix, server] = tool.split('__');
  return prefix === 'mcp' && server !== undefined ? `mcp__${server}` : tool;
}
