/** When the Worker of a run is killed. */
export type Kill =
  /** At a failpoint that its process reaches. `at`: "tool.ran:2", the second of that name, or "17", the 17th of all. */
  | { readonly type: 'failpoint'; readonly at: string }
  /** When the n-th event of a Workflow's history has been written. `workflow`: "session", "query-1", "agent-1". */
  | { readonly type: 'event'; readonly workflow: string; readonly number: number }
  /** So long after the Worker polled. */
  | { readonly type: 'moment'; readonly afterMs: number };

/** As `--only` takes it. */
export function nameOf(kill: Kill): string {
  switch (kill.type) {
    case 'failpoint':
      return `failpoint:${kill.at}`;
    case 'event':
      return `event:${kill.workflow}:${kill.number}`;
    case 'moment':
      return `moment:${kill.afterMs}`;
  }
}

const NAME =
  /^(?:failpoint:(?<at>(?:[a-z_.]+:)?[1-9]\d*)|event:(?<workflow>session|query-\d+|agent-\d+):(?<event>[1-9]\d*)|moment:(?<moment>\d+))$/;

/** Fails: Error that shows the three forms. */
export function fromName(name: string): Kill {
  const { at, workflow, event, moment } = NAME.exec(name)?.groups ?? {};
  if (at !== undefined) return { type: 'failpoint', at };
  if (workflow !== undefined) return { type: 'event', workflow, number: Number(event) };
  if (moment !== undefined) return { type: 'moment', afterMs: Number(moment) };
  throw new Error(
    `"${name}" names no kill. Write failpoint:tool.ran:2, event:query-1:12 or moment:350 (ms).`,
  );
}
