import type { ArmedFailpoints } from '../failpoint/failpoint';

/** What a Worker process of a crash test is told. JSON. */
export type WorkerOrder = Serve | { readonly type: 'leave' };

export interface Serve {
  readonly type: 'serve';
  readonly taskQueue: string;
  /** Configuration, and what commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** null: it is not to crash. */
  readonly failpoints: ArmedFailpoints | null;
}
