import type { MessageParam, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { CompactCosts } from '../../loop/compaction';
import { dropOldestRounds, withoutMedia } from '../../loop/prepare/compact-groups';
import type { ContextMessage } from '../../loop/prepare/context-message';
import type { Usage } from '../../loop/usage';
import type { ApiFailure } from '../call-model/api-failure';
import { toApiMessages } from '../call-model/api-messages';
import { createBlockCollector } from '../call-model/streamed-blocks';
import { summaryIn, summaryPrompt } from './summary-prompt';

export type Summary =
  | { readonly type: 'summary'; readonly text: string; readonly costs: CompactCosts }
  | { readonly type: 'failed'; readonly message: string };

export type SummaryAnswer = Extract<Summary, { type: 'summary' }> | ApiFailure;

export interface ToSummarise {
  readonly messages: readonly ContextMessage[];
  readonly instructions: readonly string[];
  readonly userContext: string | null;
}

/** Tries of a request that was too long (spec/loop 3.7i). */
const SHORTER_TRIES = 3;

/** Asks for a summary, and again without the oldest rounds as long as the API finds the request too long. */
export async function askShorter(
  { messages: all, instructions, userContext }: ToSummarise,
  ask: (messages: MessageParam[]) => Promise<SummaryAnswer>,
): Promise<Summary> {
  let messages: readonly ContextMessage[] | null = withoutMedia(all);
  let failed: Summary = { type: 'failed', message: 'There is nothing to summarise.' };
  for (let tries = 0; messages !== null && tries <= SHORTER_TRIES; tries += 1) {
    const content = [{ type: 'text', text: summaryPrompt(instructions) }] as const;
    const answer = await ask(toApiMessages([...messages, { role: 'user', content }], userContext));
    if ('text' in answer) return answer;
    failed = { type: 'failed', message: answer.message };
    if (answer.kind !== 'prompt_too_long') return failed;
    messages = dropOldestRounds(messages, tokensOver(answer));
  }
  return failed;
}

/** The summary that a stream brings; `heard` is called as it comes. Fails: with the reason of the signal, or if there is no summary in it. */
export async function readSummary(
  stream: AsyncIterable<RawMessageStreamEvent>,
  signal: AbortSignal,
  heard: () => void = () => undefined,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const collector = createBlockCollector();
  for await (const event of stream) {
    heard();
    collector.take(event);
  }
  signal.throwIfAborted();
  if (!collector.isComplete()) throw new Error('The stream ended in the middle of the summary.');
  const { blocks, usage } = collector.reply();
  const text = summaryIn(
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  );
  if (text === '') throw new Error('The model wrote no summary.');
  return { text, usage };
}

/** "prompt is too long: 210000 tokens > 200000 maximum"; null: it does not say. */
function tokensOver({ message }: ApiFailure): number | null {
  const found = /(\d+) tokens > (\d+)/.exec(message);
  return found === null ? null : Number(found[1]) - Number(found[2]);
}
