import type Anthropic from '@anthropic-ai/sdk';
import type { QueryCall } from '../query-call';
import { askHook } from './ask-hook';

const PROVIDER = 'anthropic';

/** The client for a request of the query: with the features that its message asks for, and with the key that its
 *  agent gives out now, else with the Worker's. */
export async function modelClient(query: QueryCall): Promise<Anthropic> {
  const anthropic = withBetas(query.deps.anthropic, query.options.betas);
  const { hooks } = query.agent;
  if (hooks.getApiKey === undefined) return anthropic;
  const apiKey = await askHook(query, 'getApiKey', (at) => hooks.getApiKey?.(PROVIDER, at));
  return apiKey === undefined || apiKey === ''
    ? anthropic
    : anthropic.withOptions({ apiKey, authToken: null });
}

const withBetas = (anthropic: Anthropic, betas: readonly string[] = []): Anthropic =>
  betas.length === 0
    ? anthropic
    : anthropic.withOptions({ defaultHeaders: { 'anthropic-beta': betas.join(',') } });
