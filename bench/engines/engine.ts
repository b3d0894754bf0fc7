/** What keeps an entrant's agents: a server, or a database. */
export interface Engine {
  /** Processes whose CPU time is the engine's. */
  pids(): Promise<readonly number[]>;
  /** Bytes that it stores now, where only their growth can be told. */
  mark(): Promise<number>;
  /** What a conversation has added since the mark. */
  stored(conversationId: string, mark: number): Promise<Stored>;
}

export interface Stored {
  /** Of Temporal's Event History; null: the engine has none. */
  readonly events: number | null;
  /** What the engine keeps. */
  readonly bytes: number;
  /** What the entrant keeps beside it, in files of its own. */
  readonly besideBytes: number;
}
