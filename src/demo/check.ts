/** One thing that the demo promises, looked at after the run. */
export interface Check {
  readonly claim: string;
  /** What was seen instead; null: the claim holds. */
  readonly problem: string | null;
}
