import type Anthropic from '@anthropic-ai/sdk';
import type { QueryCall } from '../query-call';
import { askHook } from './ask-hook';

const PROVIDER = 'anthropic';

/** The client for a request of the query: with the key that its agent gives out now, else with the Worker's. */
export async function modelClient(query: QueryCall): Promise<Anthropic> {
  const { anthropic } = query.deps;
  const { hooks } = query.agent;
  if (hooks.getApiKey === undefined) return anthropic;
  const apiKey = await askHook(query, 'getApiKey', (at) => hooks.getApiKey?.(PROVIDER, at));
  return apiKey === undefined || apiKey === ''
    ? anthropic
    : anthropic.withOptions({ apiKey, authToken: null });
}
