import type { Order } from '../protocol.js';

export const order: Order;
export const PROMPT: string;
export function runTool(name: string, input: unknown): Promise<string>;

interface Conversation {
  readonly id: string;
  readonly calls: number;
}
export function serve(program: {
  run(call: Conversation): Promise<unknown>;
  resume(call: Conversation): Promise<unknown>;
}): void;
