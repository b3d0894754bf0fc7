import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ApiFailure } from '../../transcript/store';
import { isThought } from '../conversation/context-messages';
import { toApiMessages } from './api-messages';
import type { ModelCall } from './call-model';

/** So many overloads in a row, and the fallback model takes over (spec/loop 4.8). */
const OVERLOADS = 3;

/** The model of this attempt: the fallback, if attempts before have found the first one overloaded. */
export async function modelToAsk(call: ModelCall): Promise<string> {
  const { session, attempt, input } = call;
  // Only a repeated attempt has failures behind it.
  if (attempt.number === 1) return input.model;
  return fallbackAfter(call, await session.store.ledger.failures(attempt.key)) ?? input.model;
}

/** null: it is not time for another model, or there is none. */
export function fallbackAfter(
  { options, input }: ModelCall,
  failures: readonly ApiFailure[],
): string | null {
  const fallback = options.fallbackModel ?? null;
  if (fallback === null || fallback === input.model) return null;
  return isOverloaded(failures) ? fallback : null;
}

/** Whatever failed since: once the fallback has taken over, the request stays with it. */
function isOverloaded(failures: readonly ApiFailure[]): boolean {
  let inARow = 0;
  return failures.some(({ status }) => {
    inARow = status === 529 ? inARow + 1 : 0;
    return inARow === OVERLOADS;
  });
}

/** The same request for another model: it cannot read the thoughts of the first (spec/loop 4.8). */
export function forModel(
  request: MessageCreateParamsStreaming,
  model: string,
): MessageCreateParamsStreaming {
  const messages = request.messages.map(({ role, content }) => ({
    role: role === 'assistant' ? role : ('user' as const),
    content: blocksOf(content).filter((block) => !isThought(block)),
  }));
  return { ...request, model, messages: toApiMessages(messages, null) };
}

const blocksOf = (content: MessageParam['content']): readonly ContentBlockParam[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;
