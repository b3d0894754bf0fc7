import Anthropic from '@anthropic-ai/sdk';
import type { Config } from '../../config';
import { createApiFetch } from './api-fetch';

/** Twice what the longest reply takes as a stream. */
const LONGEST_ANSWER_BYTES = 64 * 1024 ** 2;

/** The official client. Retries belong to Temporal, so it makes none. */
export function createAnthropic(
  config: Pick<Config, 'baseUrl' | 'apiKey' | 'authToken' | 'apiTimeoutMs'>,
  { longestAnswerBytes = LONGEST_ANSWER_BYTES }: { readonly longestAnswerBytes?: number } = {},
): Anthropic {
  return new Anthropic({
    baseURL: config.baseUrl,
    apiKey: config.apiKey?.reveal() ?? null,
    authToken: config.authToken?.reveal() ?? null,
    timeout: config.apiTimeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createApiFetch(longestAnswerBytes),
  });
}
