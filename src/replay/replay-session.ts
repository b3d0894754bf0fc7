import { MemoryTranscript, runInProcess, type InProcessOptions } from '../in-process';
import type { Terminal } from '../loop/terminal';
import { factsOf, type ConversationFacts } from './recorded-session';

export interface ReplayOptions extends Pick<
  InProcessOptions,
  'callApi' | 'model' | 'tools' | 'system' | 'workingDirectory'
> {
  /** Said one after the other. */
  readonly prompts: readonly InProcessOptions['prompt'][];
  /** Of each prompt. */
  readonly maxTurns: number;
}

/** How the last prompt ended, and what the conversation did. */
export interface Replayed extends ConversationFacts {
  readonly ended: Terminal['reason'] | null;
}

/** Runs the loop in this process, with the tools as they are given. Nothing is kept. */
export async function replaySession({ prompts, ...options }: ReplayOptions): Promise<Replayed> {
  const transcript = new MemoryTranscript();
  let ended: Terminal['reason'] | null = null;
  for (const prompt of prompts) {
    const run = runInProcess({ ...options, prompt, transcript });
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    ended = step.value.reason;
  }
  return { ...factsOf(transcript.chain()), ended };
}
