declare module 'parse-prometheus-text-format' {
  interface Sample {
    readonly labels?: Readonly<Record<string, string>>;
    /** Absent in a histogram. */
    readonly value?: string;
  }
  interface Family {
    readonly name: string;
    readonly type: string;
    readonly metrics: readonly Sample[];
  }
  export default function parse(text: string): readonly Family[];
}
