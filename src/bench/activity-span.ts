import type { temporal } from '@temporalio/proto';

/** An Activity that completed, as Event History tells it. */
export interface ActivitySpan {
  readonly name: string;
  readonly scheduledAtMs: number;
  readonly completedAtMs: number;
}

/** In order of completion. Instants of the wall clock less the offset. */
export function activitySpans(
  history: readonly temporal.api.history.v1.IHistoryEvent[],
  offsetMs = 0,
): readonly ActivitySpan[] {
  const open = new Map<string, { readonly name: string; readonly scheduledAtMs: number }>();
  const spans: ActivitySpan[] = [];
  for (const event of history) {
    const { seconds, nanos } = event.eventTime ?? {};
    const atMs = Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000 - offsetMs;
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      open.set(String(event.eventId), { name, scheduledAtMs: atMs });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const id = String(completed?.scheduledEventId);
    const begun = completed ? open.get(id) : undefined;
    if (begun) spans.push({ ...begun, completedAtMs: atMs });
    // Event ids begin anew with each run of a chain.
    if (begun) open.delete(id);
  }
  return spans;
}
