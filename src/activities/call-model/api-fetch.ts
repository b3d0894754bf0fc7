import * as http from 'node:http';
import * as https from 'node:https';
import { wellFormed } from './request-body';
import { limitedBody } from './limited-body';
import { ANYWAY, UnusableAnswer } from './unusable-answer';

/** A host that is not there must not be waited for as long as a model that thinks. */
const CONNECT_MS = 10_000;

/** `fetch` for the API's client, as far as that needs it. It follows no redirect, which would hand the key to whoever
 *  is named there; it takes no web page for an answer; it ends an answer that has no end; and it sends well-formed
 *  text only. Over `node:http`, which sends a body's bytes as they lie there: the platform's own copies them twice.
 *  Fails: as `fetch`, or with UnusableAnswer. */
export function createApiFetch(longestBytes: number): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer = await send(url, init);
    const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
    const headers = toHeaders(answer.headers);
    const unusable = unusableOf(url, status, headers);
    if (unusable !== null) {
      answer.destroy();
      throw unusable;
    }
    return new Response(limitedBody(answer, longestBytes), { status, statusText, headers });
  };
}

function send(url: URL, { method = 'GET', headers, body, signal }: RequestInit) {
  const bytes = toBytes(body);
  return new Promise<http.IncomingMessage>((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const asked = request(url, {
      method,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        ...(bytes !== null && { 'content-length': bytes.length }),
      },
      ...(signal && { signal }),
    });
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.once('socket', (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => {
        asked.destroy(new Error(`${url.host} did not answer for ${CONNECT_MS / 1_000} s.`));
      }, CONNECT_MS);
      socket.once('connect', () => clearTimeout(late));
      socket.once('close', () => clearTimeout(late));
    });
    asked.end(bytes ?? undefined);
  });
}

function toBytes(body: RequestInit['body']): Uint8Array | null {
  if (body == null) return null;
  if (typeof body === 'string') return Buffer.from(wellFormed(body));
  if (body instanceof Uint8Array) return body;
  throw new TypeError('The API is sent JSON only.');
}

function toHeaders(given: http.IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

function unusableOf(url: URL, status: number, headers: Headers): UnusableAnswer | null {
  const location = headers.get('location');
  if (status >= 300 && status < 400) {
    const place = location === null ? 'somewhere else' : `to ${location.slice(0, 200)}`;
    return new UnusableAnswer(
      `${url.href} redirects ${place}. Keys are not sent on: if that place is the API, set ANTHROPIC_BASE_URL to it.`,
      status,
      false,
    );
  }
  if (status === 200 && /^text\/html/i.test(headers.get('content-type') ?? '')) {
    return new UnusableAnswer(`${url.href} answered with a web page. ${ANYWAY}`, status, true);
  }
  return null;
}
