import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { ApiErrorKind } from '../../loop/outcomes';
import { unusableAnswerIn } from './unusable-answer';

/** A request that failed, in our words. */
export interface ApiFailure {
  readonly kind: ApiErrorKind;
  /** HTTP status; null: the connection failed, or the error came inside the stream. */
  readonly status: number | null;
  readonly message: string;
  /** How often the request may be repeated because of this. */
  readonly retry: 'never' | 'once' | 'with_backoff';
  /** What the server asked for; null: it did not say. */
  readonly retryAfterMs: number | null;
}

type Verdict = Pick<ApiFailure, 'kind' | 'retry'>;

/** Which failure of the API means what (spec/loop 4.9). A 400 is sent once: the same bytes fail again. */
export function toApiFailure(error: unknown): ApiFailure {
  const unusable = unusableAnswerIn(error);
  if (unusable !== null) {
    const { message, status, mayPass } = unusable;
    const retry = mayPass ? 'with_backoff' : 'never';
    return { kind: 'unknown', status, message, retry, retryAfterMs: null };
  }
  if (error instanceof APIConnectionError || !isApiError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    // The client found no credential and sent nothing: it will find none the next time.
    if (/^"?Could not resolve authentication/.test(message)) {
      const kind = 'authentication_failed';
      const text = 'There is no credential.';
      return { kind, status: null, message: text, retry: 'never', retryAfterMs: null };
    }
    return { kind: 'unknown', status: null, message, retry: 'with_backoff', retryAfterMs: null };
  }
  const { type, message } = bodyOf(error);
  const status = typeof error.status === 'number' ? error.status : null;
  return {
    ...verdictOn(status, type, message),
    status,
    message,
    retryAfterMs: retryAfterMs(error),
  };
}

const isApiError = (error: unknown): error is APIError => error instanceof APIError;

function verdictOn(status: number | null, type: string, message: string): Verdict {
  if (status === 400 || status === 413) return verdictOnRequest(status, message);
  if (status === 401) return { kind: 'authentication_failed', retry: 'once' };
  if (status === 403) return { kind: 'authentication_failed', retry: 'never' };
  if (status === 404) return { kind: 'model_not_found', retry: 'never' };
  if (status === 429 || type === 'rate_limit_error')
    return { kind: 'rate_limit', retry: 'with_backoff' };
  if (status === 529 || type === 'overloaded_error')
    return { kind: 'overloaded', retry: 'with_backoff' };
  if (status === null || status === 408 || status === 409 || status >= 500) {
    return { kind: 'server_error', retry: 'with_backoff' };
  }
  return { kind: 'unknown', retry: 'never' };
}

function verdictOnRequest(status: number, message: string): Verdict {
  if (/prompt is too long/i.test(message)) return { kind: 'prompt_too_long', retry: 'never' };
  if (/credit balance/i.test(message)) return { kind: 'billing_error', retry: 'never' };
  const isMedia =
    status === 413 || /image exceeds|image dimensions|too many images|PDF/i.test(message);
  return { kind: isMedia ? 'media_size' : 'unknown', retry: 'never' };
}

/** The error object of the API, from a response body or from an `error` event of the stream. */
function bodyOf(error: APIError): { readonly type: string; readonly message: string } {
  const body: unknown = error.error;
  const inner = isObject(body) && isObject(body['error']) ? body['error'] : body;
  const type = isObject(inner) && typeof inner['type'] === 'string' ? inner['type'] : '';
  const message =
    isObject(inner) && typeof inner['message'] === 'string' ? inner['message'] : error.message;
  return { type, message };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function retryAfterMs(error: APIError): number | null {
  const headers: unknown = error.headers;
  if (!(headers instanceof Headers)) return null;
  const ms = Number(headers.get('retry-after-ms') ?? NaN);
  if (Number.isFinite(ms)) return ms;
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

const OVERFLOW = /input length and `max_tokens` exceed context limit: (\d+) \+ \d+ > (\d+)/;
const OVERFLOW_MARGIN_TOKENS = 1_000;
const OVERFLOW_FLOOR_TOKENS = 3_000;

/** Output tokens that fit beside the input, when that is what the API complains of (spec/loop 4.10). */
export function fittingOutputTokens({ status, message }: ApiFailure): number | null {
  const found = status === 400 ? OVERFLOW.exec(message) : null;
  if (found === null) return null;
  const [inputTokens, windowTokens] = [Number(found[1]), Number(found[2])];
  return Math.max(OVERFLOW_FLOOR_TOKENS, windowTokens - inputTokens - OVERFLOW_MARGIN_TOKENS);
}

/** The account, the model or a gateway has no web search: the words differ, the name stands in all of them. */
export const isServerToolRefused = ({ status, message }: ApiFailure): boolean =>
  (status === 400 || status === 403) && /web[_ ]search/i.test(message);

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 32_000;
const JITTER = 0.25;

/** ms before retry number `attempt` (1 = first): what the server asked for, else 500 ms doubled each time up to
 *  32 s, plus up to a quarter (spec/loop 4.9). `random` is in [0, 1). */
export function retryDelayMs(failure: ApiFailure, attempt: number, random: number): number {
  if (failure.retryAfterMs !== null) return failure.retryAfterMs;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
  return Math.round(delayMs * (1 + JITTER * random));
}

/** What people and the transcript are told when no retry is left. */
export function textOfFailure({ kind, status, message }: ApiFailure): string {
  const what = status === null ? 'no answer' : String(status);
  const cut = message.length <= MOST_TOLD_CHARS ? message : `${message.slice(0, MOST_TOLD_CHARS)}…`;
  return `API error (${what}): ${cut}${CURES[kind] ?? ''}`;
}

/** What stands between us and the API may answer with megabytes. */
const MOST_TOLD_CHARS = 2_000;

const CURES: Partial<Record<ApiErrorKind, string>> = {
  authentication_failed:
    ' Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN for the process that serves the session.',
  model_not_found: ' Choose another model with --model.',
  prompt_too_long: ' Start a new session, or attach less.',
  media_size: ' Make the image or document smaller and attach it again.',
};
