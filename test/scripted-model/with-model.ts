import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../src/scripted-model/scripted-model';

/** Starts a model for one test, with the real client, and closes it whatever happens. */
export async function withModel(
  options: ScriptedModelOptions,
  act: (model: ScriptedModel, client: Anthropic) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel(options);
  try {
    await act(model, clientOf(model.url));
  } finally {
    await model.close();
  }
}

export function clientOf(url: string): Anthropic {
  return new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0, logLevel: 'off' });
}

/** A request with so many assistant messages. */
export function ask(turn = 0): MessageCreateParamsNonStreaming {
  const earlier = Array.from({ length: turn }, (_, i) => [
    { role: 'user' as const, content: `question ${i}` },
    { role: 'assistant' as const, content: `answer ${i}` },
  ]).flat();
  const messages = [...earlier, { role: 'user' as const, content: 'hello' }];
  return { model: 'any', max_tokens: 100, messages };
}
