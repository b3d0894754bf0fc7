import type { Message } from '@anthropic-ai/sdk/resources/messages';
import type { AskSmallModel } from '../tools/tool';
import { modelClient } from './agent-hooks/model-client';
import type { QueryCall } from './query-call';

/** Cheap and quick. */
const SMALL_MODEL = 'claude-haiku-4-5';

/** One question beside the conversation, with the credentials that the query has.
 *  Fails: as the API's client does. */
export async function askSmallModel(
  query: QueryCall,
  { system, text, maxTokens }: Parameters<AskSmallModel>[0],
  signal: AbortSignal,
): Promise<string> {
  const anthropic = await modelClient(query);
  const reply = await anthropic.messages.create(
    {
      model: SMALL_MODEL,
      max_tokens: maxTokens,
      system,
      messages: [{ role: 'user', content: text }],
    },
    { signal },
  );
  return textOf(reply);
}

const textOf = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
