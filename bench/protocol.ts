/** What an agent's process finds in `BENCH_ORDER`, as JSON. */
export interface Order {
  /** Base URL of a Messages API that answers with one message, without the `/v1`. */
  readonly model: string;
  readonly temporal: { readonly address: string };
  /** null: this entrant stores nothing there. */
  readonly postgres: string | null;
  /** URLs of the server, and the port at which it calls the agent. null: the same. */
  readonly restate: RestatePlace | null;
  /** Names what must be the same before and after a kill: Task Queue, database, service. */
  readonly name: string;
  readonly prompt: { readonly system: string; readonly tools: readonly ToolSchema[] };
}

export interface RestatePlace {
  readonly ingress: string;
  readonly admin: string;
  readonly servicePort: number;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input_schema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type: 'string'; description: string }>>;
    readonly required: readonly string[];
  };
}

/** What the process is told. `run` begins a conversation; `resume` goes on with one that another process began, in
 *  the way that the entrant's own documentation names. */
export interface Call {
  readonly type: 'run' | 'resume';
  readonly id: string;
  /** Model calls that the conversation has at most. */
  readonly calls: number;
}

/** What it tells. */
export type Told =
  | { readonly type: 'ready' }
  | { readonly type: 'ended'; readonly id: string; readonly error: string | null };
