import { runInThread } from '../thread';
import { ToolError } from '../tool';

/** Beyond this a page is cut: the small model reads it whole. */
const LONGEST_TEXT_CHARS = 100_000;
const CONVERSION_LIMIT_MS = 30_000;
const CONVERSION_LIMIT_MB = 512;

/** A page as text: HTML becomes Markdown, other texts stay as they are.
 *  Fails: ToolError for what is no text. */
export async function toPageText(
  page: { readonly url: string; readonly contentType: string; readonly bytes: Buffer },
  signal: AbortSignal,
): Promise<string> {
  const { url, contentType, bytes } = page;
  const [type = ''] = contentType.toLowerCase().split(';');
  if (bytes.includes(0) && !/utf-16|utf-32/i.test(contentType)) {
    throw new ToolError(
      `${url} is no text${type === '' ? '' : ` but ${type}`}, of ${bytes.length} bytes. Download it with curl in Bash, then look at it with Read.`,
    );
  }
  const text = decode(bytes, contentType);
  const isHtml =
    /^\s*(text\/html|application\/xhtml\+xml)\s*$/.test(type) ||
    (type === '' && looksLikeHtml(text));
  return cut(isHtml ? await toMarkdown(url, text, signal) : text);
}

const looksLikeHtml = (text: string): boolean =>
  /^\s*<(!doctype html|html)[\s>]/i.test(text.slice(0, 1_000));

function cut(text: string): string {
  const surplus = text.length - LONGEST_TEXT_CHARS;
  if (surplus <= 0) return text;
  return `${text.slice(0, LONGEST_TEXT_CHARS)}\n\n[cut here: ${surplus} more characters]`;
}

/** In the encoding that the header or the page itself names. */
function decode(bytes: Buffer, contentType: string): string {
  const inHeader = /charset=["']?([\w-]+)/i.exec(contentType)?.[1];
  const inPage = /<meta[^>]{1,200}charset=["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2_048));
  const name = inHeader ?? inPage?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** A large page takes seconds, and a hostile one for ever. */
const CONVERTER = `
const { parentPort, workerData } = require('node:worker_threads');
const TurndownService = require(workerData.library);
const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
service.remove(['script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas']);
parentPort.postMessage(service.turndown(workerData.html));
`;

async function toMarkdown(url: string, html: string, signal: AbortSignal): Promise<string> {
  const input = { library: require.resolve('turndown'), html };
  try {
    const limits = { ms: CONVERSION_LIMIT_MS, megabytes: CONVERSION_LIMIT_MB, signal };
    return String(await runInThread(CONVERTER, input, limits));
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(`The HTML of ${url} could not be turned into text: ${why}.`);
  }
}
