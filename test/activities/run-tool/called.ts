import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { runTool } from '../../../src/activities/run-tool/run-tool';
import type { ToolUse } from '../../../src/loop/context';
import type { PermissionMode } from '../../../src/loop/state';
import type { Reply, ReplyBlock } from '../../../src/scripted-model/reply';
import type { RunOptions } from '../../../src/transcript/message';
import type { CallResult } from '../../../src/transcript/store';
import { ask, toReply } from '../call-model/asked';
import type { FakeAttempt } from '../fake-attempt';
import { hookUp } from '../hooked';
import { given, type Given, type GivenWorker, type Said } from '../given';

/** A session in which the model has made calls that nobody has run yet. */
export interface Called extends Given {
  readonly said: Said;
  /** End of the context: the last call. */
  readonly leaf: string;
  readonly calls: readonly ToolUse[];
  /** The first attempt at the n-th call. */
  attempt(index?: number): FakeAttempt;
}

export const call = (name: string, input: unknown): ReplyBlock => ({
  type: 'tool_use',
  name,
  input,
});
export const bash = (command: string): ReplyBlock => call('Bash', { command });

export async function called(
  content: readonly ReplyBlock[],
  options: Partial<RunOptions> & {
    readonly worker?: Parameters<Given['worker']>[0];
    /** What the model says once it has the results. */
    readonly replies?: readonly Reply[];
    /** Hooks that are there when the reply comes. */
    readonly hooks?: Parameters<typeof hookUp>[1];
  } = {},
): Promise<Called> {
  const { worker: changes, replies = [], hooks, ...runOptions } = options;
  const at = await given({ script: [{ content }, ...replies] });
  if (hooks !== undefined) await hookUp(at, hooks);
  const worker = at.worker(changes);
  const said = await worker.say('Do it', runOptions);
  const { leaf, toolUses } = toReply(await ask(worker, said));
  return {
    ...at,
    said,
    leaf,
    calls: toolUses,
    attempt: (index = 0) => said.attempt(`tool-${index}`),
  };
}

/** Runs the n-th call. */
export function run(
  at: Called,
  worker: GivenWorker,
  {
    index = 0,
    attempt = at.attempt(index),
    mode = 'default',
    isAnswered = false,
  }: { index?: number; attempt?: FakeAttempt; mode?: PermissionMode; isAnswered?: boolean } = {},
): ReturnType<typeof runTool> {
  const toolUse = at.calls[index]!;
  return runTool(worker.deps, attempt, {
    call: toolUse,
    mode,
    workingDirectory: at.workspace,
    ...(isAnswered && { isAnswered }),
  });
}

/** What the ledger says of the n-th call; undefined: nothing. */
export async function recorded(
  at: Called,
  worker: GivenWorker,
  index = 0,
): Promise<CallResult | undefined> {
  const { store } = await worker.session();
  return (await store.ledger.find(at.calls[index]!))?.result;
}

/** The `tool_result` that the model will read.
 *  Fails: Error when none is recorded. */
export async function resultOf(
  at: Called,
  worker: GivenWorker,
  index = 0,
): Promise<ToolResultBlockParam> {
  const content = (await recorded(at, worker, index))?.record.message.content;
  const block = Array.isArray(content) ? (content[0] as ToolResultBlockParam) : undefined;
  if (block?.type === 'tool_result') return block;
  throw new Error(`Call ${index} has no result in the ledger.`);
}

/** Text of that result. */
export async function textOf(at: Called, worker: GivenWorker, index = 0): Promise<string> {
  const { content } = await resultOf(at, worker, index);
  return typeof content === 'string' ? content : JSON.stringify(content);
}
