import type { Config } from './config';
import type { Fingerprint } from './transcript/store';

/** Where a process would send requests, and as whom. */
export function fingerprintOf({
  baseUrl,
  apiKey,
  authToken,
}: Pick<Config, 'baseUrl' | 'apiKey' | 'authToken'>): Fingerprint {
  const credentials = apiKey !== null ? 'api_key' : authToken !== null ? 'auth_token' : 'none';
  return { baseUrl, credentials };
}
