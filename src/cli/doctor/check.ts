/** What a check found out. `cure` is what to do about it; null: all is well. */
export interface Finding {
  readonly detail: string;
  readonly cure: string | null;
}

export interface Check {
  readonly name: string;
  /** `repair`: what can be put right without asking is put right. A check that throws has failed. */
  readonly run: (repair: boolean) => Promise<Finding>;
}

export const fine = (detail: string): Finding => ({ detail, cure: null });
export const wrong = (detail: string, cure: string): Finding => ({ detail, cure });
