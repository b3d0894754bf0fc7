/** What a test and its client process tell each other over the IPC channel. Callbacks go as names. */
export type FromTest =
  /** `prompt: null`: the prompts come one by one. */
  | {
      readonly type: 'query';
      readonly id: string;
      readonly prompt: string | null;
      readonly options: WireOptions;
    }
  | { readonly type: 'send'; readonly of: string; readonly message: object }
  | { readonly type: 'end'; readonly of: string }
  /** A method of the query. */
  | {
      readonly type: 'call';
      readonly id: string;
      readonly of: string;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  /** A function of the SDK that reads or changes transcripts. */
  | {
      readonly type: 'read';
      readonly id: string;
      readonly reader: string;
      readonly args: readonly unknown[];
    }
  | ({ readonly type: 'answer'; readonly id: string } & Answer);

export type ToTest =
  | { readonly type: 'up' }
  | { readonly type: 'message'; readonly of: string; readonly message: object }
  /** `error`: what the SDK threw. */
  | { readonly type: 'ended'; readonly of: string; readonly error?: string }
  | { readonly type: 'stderr'; readonly of: string; readonly text: string }
  | {
      readonly type: 'ask';
      readonly id: string;
      readonly callback: string;
      readonly args: readonly unknown[];
    }
  | ({ readonly type: 'answer'; readonly id: string } & Answer);

export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

export interface WireOptions {
  /** Options of the SDK that are JSON. */
  readonly plain: object;
  /** Absent: the client is not asked for permissions. */
  readonly canUseTool?: string;
  /** By event, the name of its callback. */
  readonly hooks: Readonly<Record<string, string>>;
  readonly servers: WireServers;
}

/** In-process MCP servers: their tools by name, each with the name of its callback. Arguments are numbers. */
export type WireServers = Readonly<
  Record<
    string,
    Readonly<Record<string, { readonly args: readonly string[]; readonly callback: string }>>
  >
>;
