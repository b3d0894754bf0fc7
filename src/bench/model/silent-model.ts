import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from '../../scripted-model/reply';
import { streamSteps } from '../../scripted-model/reply-steps';
import { clockMs } from '../clock';
import type { Arrival, ModelMessage, Play } from './model-message';

/** A process: replies of the scripted model in order of arrival, without a look at what was asked. The scripted
 *  model itself reads each body for its usage, a millisecond a megabyte, which would be counted as ours. */
const USAGE = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
} as const;
/** Longer than a client keeps an idle connection. */
const KEEP_ALIVE_MS = 300_000;

let replies: readonly Reply[] = [];
let arrived = 0;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const beganAtMs = clockMs();
  let bodyBytes = 0;
  request.on('data', (chunk: Buffer) => (bodyBytes += chunk.length));
  request.on('end', () => {
    const arrivedAtMs = clockMs();
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      response.writeHead(404).end();
      return;
    }
    const index = arrived++;
    const reply = replies[index];
    if (reply === undefined) response.writeHead(400).end();
    else answer(response, reply, index);
    tell({ type: 'request', index, beganAtMs, arrivedAtMs, answeredAtMs: clockMs(), bodyBytes });
  });
});

/** A hold never ends: it is for clients that are killed meanwhile. */
function answer(response: ServerResponse, reply: Reply, index: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  let text = '';
  for (const step of streamSteps(reply, {
    messageId: `msg_bench_${index}`,
    replyIndex: index,
    usage: USAGE,
  })) {
    if (typeof step === 'string') text += step;
    else {
      response.write(text);
      return;
    }
  }
  response.end(text);
}

function tell(message: ModelMessage | ({ readonly type: 'request' } & Arrival)): void {
  process.send?.(message);
}

process.on('message', (play: Play) => {
  replies = play.replies;
  arrived = 0;
  tell({ type: 'playing' });
});
process.once('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
