import Anthropic from '@anthropic-ai/sdk';
import type { Config } from '../../config';

/** The official client. Retries belong to Temporal, so it makes none. */
export function createAnthropic(
  config: Pick<Config, 'baseUrl' | 'apiKey' | 'authToken' | 'apiTimeoutMs'>,
): Anthropic {
  return new Anthropic({
    baseURL: config.baseUrl,
    apiKey: config.apiKey?.reveal() ?? null,
    authToken: config.authToken?.reveal() ?? null,
    timeout: config.apiTimeoutMs,
    maxRetries: 0,
    logLevel: 'off',
  });
}
