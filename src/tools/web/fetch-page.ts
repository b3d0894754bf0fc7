import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';
import { errorCode } from '../error-code';
import { ToolError } from '../tool';
import { portOf, requestPage, type WebAccess } from './request-page';

/** What a URL led to. `redirect`: to another host, which nobody has allowed yet. */
export type FetchedPage =
  | { readonly type: 'redirect'; readonly to: string; readonly status: number }
  | {
      readonly type: 'page';
      readonly status: number;
      readonly statusText: string;
      /** As the server says; empty: it does not. */
      readonly contentType: string;
      readonly bytes: Buffer;
    };

const LONGEST_URL_CHARS = 2_000;
const MOST_REDIRECTS = 10;
const LARGEST_PAGE_BYTES = 10 * 1024 * 1024;
const TIME_LIMIT_MS = 60_000;

/** The URL as it is asked for: over HTTPS, whatever it says.
 *  Fails: ToolError for what is no page on the web. */
export function requirePageUrl(text: string, { loopbackPorts }: WebAccess): URL {
  if (text.length > LONGEST_URL_CHARS) {
    throw new ToolError(
      `The URL has ${text.length} characters; at most ${LONGEST_URL_CHARS} can be fetched.`,
    );
  }
  if (!URL.canParse(text)) throw new ToolError(`${text} is no URL. Give a whole one: https://…`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(`${text}: only http and https are fetched, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(`${url.host}: a URL with a user name or password is not fetched.`);
  }
  url.hash = '';
  if (!loopbackPorts.includes(portOf(url))) url.protocol = 'https:';
  return url;
}

/** Fetches a page, through redirects on its own host. Each of them is checked like the first.
 *  Fails: ToolError; with the reason of the signal when that is why. */
export async function fetchPage(
  start: URL,
  access: WebAccess,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const deadline = AbortSignal.timeout(TIME_LIMIT_MS);
  try {
    return await follow(start, access, AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) {
      throw new ToolError(
        `${start.href} did not answer in full within ${TIME_LIMIT_MS / 1_000} s.`,
      );
    }
    throw error instanceof ToolError ? error : new ToolError(whyFailed(start, error));
  }
}

async function follow(start: URL, access: WebAccess, signal: AbortSignal): Promise<FetchedPage> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await requestPage(url, access, signal);
    const { statusCode: status = 0, headers } = answer;
    const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
    if (!isRedirect) return await readPage(url, answer, signal);
    answer.destroy();
    const next = requirePageUrl(nextUrl(headers.location ?? '', url).href, access);
    if (!isSameHost(url, next)) return { type: 'redirect', to: next.href, status };
    url = next;
  }
  throw new ToolError(`${start.href} redirects more than ${MOST_REDIRECTS} times.`);
}

function nextUrl(location: string, from: URL): URL {
  if (URL.canParse(location, from.href)) return new URL(location, from);
  throw new ToolError(`${from.href} redirects to what is no URL: ${location.slice(0, 200)}`);
}

/** `www.` is the same site to everybody. */
function isSameHost(from: URL, to: URL): boolean {
  const nameOf = ({ hostname }: URL): string => hostname.replace(/^www\./, '');
  return (
    nameOf(from) === nameOf(to) && portOf(from) === portOf(to) && from.protocol === to.protocol
  );
}

async function readPage(
  url: URL,
  answer: IncomingMessage,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = answer;
  if (status < 200 || status >= 300) {
    answer.destroy();
    throw new ToolError(`${url.href} answered ${status} ${statusText}.`.replace(' .', '.'));
  }
  requireSmall(url, Number(headers['content-length'] ?? 0));
  const bytes = await readBody(url, answer, signal);
  return { type: 'page', status, statusText, contentType: headers['content-type'] ?? '', bytes };
}

/** What counts is the size once it is unpacked. */
async function readBody(url: URL, answer: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      requireSmall(url, size);
      chunks.push(chunk);
    }
  };
  const unpack = unpackerOf(url, answer.headers['content-encoding']);
  try {
    if (unpack === null) await pipeline(answer, collect, { signal });
    else await pipeline(answer, unpack, collect, { signal });
  } catch (error) {
    // The parts of a pipe tell of each other's end before they tell why.
    requireSmall(url, size);
    throw error;
  }
  return Buffer.concat(chunks);
}

function unpackerOf(url: URL, encoding = 'identity'): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
    case '':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new ToolError(`${url.href} comes packed as "${encoding}", which cannot be unpacked.`);
  }
}

function requireSmall(url: URL, sizeBytes: number): void {
  if (sizeBytes <= LARGEST_PAGE_BYTES) return;
  throw new ToolError(
    `${url.href} is larger than the ${LARGEST_PAGE_BYTES} bytes that are fetched at most. Download it with curl in Bash, and look at parts of it.`,
  );
}

function whyFailed({ href, hostname }: URL, error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `${hostname} was not found (${code}). Check the name, and whether this machine is online.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `${href} could not be fetched: ${message === '' ? code : message}`;
}
