import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConfig } from './server-config';
import { CallFailure, ConnectionFailure } from './failure';

// As numbers: an error may have any other, too.
const CONNECTION_CLOSED: number = ErrorCode.ConnectionClosed;
const REQUEST_TIMEOUT: number = ErrorCode.RequestTimeout;

interface Server {
  readonly name: string;
  readonly config: ServerConfig;
  readonly timeoutMs: number;
}

/** Why a server cannot be used, and what to do about it. `ending`: how its process ended; undefined: it has none,
 *  or it runs. */
export function toConnectionFailure(
  error: unknown,
  { name, config, timeoutMs }: Server,
  ending: string | undefined,
): ConnectionFailure {
  const at = placeOf(name, config);
  const fails = (reason: string): ConnectionFailure =>
    new ConnectionFailure('failed', `${at} ${reason}`, { cause: error });
  if (statusOf(error) === 401) {
    return new ConnectionFailure(
      'needs-auth',
      `${at} wants a sign-in (401). everloop does not sign in (OAuth) itself. Give the server a token in its entry, ` +
        'such as "headers": {"Authorization": "Bearer ${TOKEN}"}.',
      { cause: error },
    );
  }
  if (ending !== undefined) return fails(`did not start: ${ending}. Correct its command.`);
  if (isTimeout(error)) {
    return fails(`did not answer within ${timeoutMs} ms. Give it more time with MCP_TIMEOUT.`);
  }
  return fails(`cannot be reached: ${reasonOf(error)}. See that it runs, and correct its entry.`);
}

/** What became of a request. */
export function toCallFailure(error: unknown, name: string, ending: string): CallFailure {
  const fails = (type: CallFailure['type'], reason: string): CallFailure =>
    new CallFailure(type, `MCP server "${name}" ${reason}`, { cause: error });
  const status = statusOf(error);
  if (status === 401) return fails('not_sent', 'wants a sign-in now (401): its token has expired.');
  // Its session is forgotten: it looks no further into the request.
  if (status === 404) return fails('not_sent', 'does not know the connection any more (404).');
  if (status !== undefined && status >= 400 && status < 500) {
    return fails('answered', `refused the request: ${reasonOf(error)}`);
  }
  if (error instanceof McpError) {
    if (error.code === CONNECTION_CLOSED) return fails('lost', `is gone: ${ending}.`);
    if (isTimeout(error)) return fails('late', 'did not answer in time.');
    return fails('answered', `answered with an error: ${error.message}`);
  }
  const isUnreached = NEVER_ARRIVED.has(systemCode(error)) || isNotRunning(error);
  return fails(isUnreached ? 'not_sent' : 'lost', `cannot be reached: ${reasonOf(error)}.`);
}

/** Whether a server at a distance is certainly not there any more: slowness is no sign of it. */
export function isGone(error: unknown): boolean {
  if (error instanceof McpError) return false;
  const status = statusOf(error);
  return status === undefined || status === 404 || status >= 500;
}

/** Whether the server may speak only what came before streamable HTTP. Source: the protocol's rules for old servers. */
export function isOldServer(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && [400, 404, 405, 406, 415].includes(status);
}

const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

const isNotRunning = (error: unknown): boolean =>
  isErrorLike(error) && ['Not connected', 'The server does not run.'].includes(error.message);

const isTimeout = (error: unknown): boolean =>
  error instanceof McpError && error.code === REQUEST_TIMEOUT;

function statusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401;
  const hasStatus = error instanceof StreamableHTTPError || error instanceof SseError;
  if (hasStatus) return error.code;
  const text = isErrorLike(error) ? error.message : '';
  // The SSE transport tells of refused messages in words only.
  const status = /\(HTTP (\d{3})\)/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Asks no `instanceof`: under some test runners and loaders Node's errors come from another realm. */
const isErrorLike = (
  value: unknown,
): value is { readonly message: string; readonly cause?: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  typeof value.message === 'string';

function systemCode(error: unknown): string {
  const cause = isErrorLike(error) ? (error.cause ?? error) : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}

function reasonOf(error: unknown): string {
  const text = isErrorLike(error) ? error.message : String(error);
  const code = systemCode(error);
  return code === '' || text.includes(code) ? text : `${text} (${code})`;
}

function placeOf(name: string, config: ServerConfig): string {
  return 'url' in config
    ? `MCP server "${name}" at ${withoutSecrets(config.url)}`
    : `MCP server "${name}"`;
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
