import type { Engine } from '../engines/engine';

/** One way to run a durable agent. */
export interface Entrant {
  readonly name: string;
  /** Packages and versions, as its package.json pins them. */
  readonly versions: string;
  readonly engine: Engine;
  /** More would take hours or gigabytes here; null: as many as asked. */
  readonly mostTurns: number | null;
  /** false: it has no tool whose effect could be counted. */
  readonly hasTools: boolean;
  /** Starts its process, fresh. Agents of an earlier one with the same name can be resumed. */
  start(name: string): Promise<Agent>;
}

/** A process that runs agents. */
export interface Agent {
  readonly pid: number;
  /** One conversation, until its end. Returns what ended it early, null if nothing did. */
  run(conversation: Conversation): Promise<string | null>;
  /** Goes on with a conversation that a killed process began. */
  resume(conversation: Conversation): Promise<string | null>;
  /** SIGKILL; returns the instant of it. */
  kill(): Promise<number>;
  stop(): Promise<void>;
}

export interface Conversation {
  readonly id: string;
  /** Model calls it has at most. */
  readonly calls: number;
}
