import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sendError } from '../../scripted-model/play-reply';
import { tokensOf } from '../../scripted-model/prompt-cache';
import type { Reply } from '../../scripted-model/reply';
import { messageOf } from '../../scripted-model/reply-message';
import { streamSteps } from '../../scripted-model/reply-steps';
import { clockMs } from '../clock';
import type { Arrival, ModelMessage, Play } from './model-message';
import { stamped } from './stamped-deltas';
import { PrefixWatch } from './prefix-watch';

/** A process: replies of the scripted model in order of arrival, and a summary to whoever asks for one. It looks at
 *  the end of a request alone: the scripted model itself reads each body for its usage, a millisecond a megabyte,
 *  which would be counted as ours. Usage is honest: four bytes of request are a token. */
const SUMMARY: Reply = {
  content: [
    { type: 'text', text: `<summary>${'The files were read in order. '.repeat(100)}</summary>` },
  ],
};
/** How a request for a summary ends: with the order to put it inside these tags. */
const SUMMARY_TAG = '<summary>';
const END_BYTES = 8_000;
/** Answers come as a stream, and behind the second of these as one message: a look for "stream" at all bytes of a
 *  request would be counted as the client's time. */
const STREAMED = '/v1/messages';
const WHOLE = '/whole/v1/messages';
/** Longer than a client keeps an idle connection. */
const KEEP_ALIVE_MS = 300_000;

let replies: readonly Reply[] = [];
let watch: PrefixWatch | null = null;
let countsTokens = true;
let arrived = 0;
let wasSummary = false;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const beganAtMs = clockMs();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const arrivedAtMs = clockMs();
    const { url = '' } = request;
    const isStreamed = url.startsWith(STREAMED);
    if (request.method !== 'POST' || !(isStreamed || url.startsWith(WHOLE))) {
      response.writeHead(404).end();
      return;
    }
    const bodyBytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const isSummary = endOf(chunks).includes(SUMMARY_TAG);
    const followsSummary = wasSummary;
    const index = isSummary ? arrived : arrived++;
    wasSummary = isSummary;
    const reply = isSummary ? SUMMARY : replies[index];
    if (reply === undefined) response.writeHead(400).end();
    else void answer(response, { reply, index, bodyBytes, isStreamed });
    const answeredAtMs = clockMs();
    const prefix = watch === null ? null : compare(watch, Buffer.concat(chunks), isSummary);
    const instants = { beganAtMs, arrivedAtMs, answeredAtMs };
    tell({ type: 'request', index, isSummary, followsSummary, ...instants, bodyBytes, prefix });
  });
});

/** A request for a summary is a branch: what comes next does not continue it. */
function compare(kept: PrefixWatch, body: Buffer, isSummary: boolean): Arrival['prefix'] {
  const prefix = kept.compare(body);
  if (!isSummary) kept.remember(body);
  return prefix;
}

/** The last chunks. */
function endOf(chunks: readonly Buffer[]): Buffer {
  let bytes = 0;
  const from = chunks.findLastIndex(({ length }) => (bytes += length) >= END_BYTES);
  return Buffer.concat(chunks.slice(Math.max(from, 0))).subarray(-END_BYTES);
}

/** A hold never ends: it is for clients that are killed meanwhile. */
async function answer(
  response: ServerResponse,
  of: {
    readonly reply: Reply;
    readonly index: number;
    readonly bodyBytes: number;
    readonly isStreamed: boolean;
  },
): Promise<void> {
  const { reply, index, isStreamed } = of;
  if (reply.error !== undefined) {
    sendError(response, reply.error);
    return;
  }
  response.once('close', () => {
    if (!response.writableFinished) tell({ type: 'left', index, leftAtMs: clockMs() });
  });
  const usage = usageOf(countsTokens ? of.bodyBytes : 0, reply);
  const envelope = { messageId: `msg_bench_${index}`, replyIndex: index, usage };
  if (!isStreamed) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(messageOf(reply, envelope)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  let text = '';
  for (const step of streamSteps(reply, envelope)) {
    if (typeof step === 'string') {
      text += step;
      continue;
    }
    response.write(stamped(text));
    text = '';
    if (step.type !== 'pause' || step.ms === undefined) return;
    await pause(step.ms);
  }
  response.end(stamped(text));
}

const usageOf = (bodyBytes: number, { content }: Reply) => ({
  input_tokens: tokensOf(bodyBytes),
  output_tokens: tokensOf(JSON.stringify(content ?? []).length),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

function tell(message: ModelMessage): void {
  process.send?.(message);
}

process.on('message', (play: Play) => {
  ({ replies, countsTokens } = play);
  watch = play.comparesPrefixes ? new PrefixWatch() : null;
  arrived = 0;
  wasSummary = false;
  tell({ type: 'playing' });
});
process.once('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
