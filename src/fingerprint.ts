import { createHash } from 'node:crypto';
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

/** Short name of who answers requests, and counts them: the place, and a digest of the credentials. */
export function providerOf(config: Pick<Config, 'baseUrl' | 'apiKey' | 'authToken'>): string {
  const { baseUrl, apiKey, authToken } = config;
  const parts = [baseUrl, apiKey?.reveal() ?? '', authToken?.reveal() ?? ''];
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}
