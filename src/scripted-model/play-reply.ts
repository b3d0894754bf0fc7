import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Gates } from './gates';
import { STATUS_OF_ERROR, type ErrorType, type Reply } from './reply';
import type { Envelope } from './reply-message';
import { streamSteps, wholeSteps, type Step } from './reply-steps';
import type { ScriptedRequest } from './scripted-request';

export interface Performance {
  readonly reply: Reply;
  readonly request: ScriptedRequest;
  readonly response: ServerResponse;
  readonly gates: Gates;
  /** Asked for when the answer is a message, not an error. */
  readonly envelope: () => Envelope;
}

/** Before a connection is cut, time for the client to read what was sent: an error that comes together with
 *  bytes makes fetch drop them unread. */
const CUT_GRACE_MS = 50;

/** Answers one request as its reply says. Resolves when the answer has ended or the client has left. */
export async function playReply({
  reply,
  request,
  response,
  gates,
  envelope,
}: Performance): Promise<void> {
  const { ended } = request;
  if (reply.hold !== undefined) await gates.pass(reply.hold, ended);
  if (reply.delayMs) await pause(reply.delayMs, ended);
  if (request.outcome !== 'pending') return;
  if (reply.cut) {
    cut(request, response);
    return;
  }
  if (reply.raw) {
    await sendRaw(reply, request, response);
    return;
  }
  const error = reply.error ?? (request.isStreaming ? undefined : interruptingError(reply));
  if (error) {
    sendError(response, error, reply.headers);
    return;
  }

  const type = request.isStreaming ? 'text/event-stream; charset=utf-8' : 'application/json';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache', ...reply.headers });
  const steps = request.isStreaming ? streamSteps : wholeSteps;
  await play(steps(reply, envelope()), request, response, gates);
}

/** One write between two pauses, and a single one when there are none. */
async function play(
  steps: Iterable<Step>,
  request: ScriptedRequest,
  response: ServerResponse,
  gates: Gates,
): Promise<void> {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'string') {
      text += step;
      continue;
    }
    if (text !== '') response.write(text);
    text = '';
    switch (step.type) {
      case 'pause':
        await pause(step.ms, request.ended);
        break;
      case 'hold':
        await gates.pass(step.name, request.ended);
        break;
      case 'cut':
        await pause(CUT_GRACE_MS, request.ended);
        cut(request, response);
    }
    if (request.outcome !== 'pending') return;
  }
  response.end(text);
}

async function sendRaw(
  { raw = {}, headers }: Reply,
  request: ScriptedRequest,
  response: ServerResponse,
): Promise<void> {
  const { status = 200, body = '', base64 = '', ending = 'end' } = raw;
  const bytes = Buffer.concat([Buffer.from(body), Buffer.from(base64, 'base64')]);
  response.writeHead(status, headers);
  if (ending === 'end') {
    response.end(bytes);
    return;
  }
  response.flushHeaders();
  do {
    const isTaken = response.write(bytes);
    if (!isTaken) await Promise.race([once(response, 'drain'), request.ended]);
  } while (ending === 'repeat' && request.outcome === 'pending');
  await request.ended;
}

export interface ReplyError {
  readonly type: ErrorType;
  readonly message?: string | undefined;
  readonly status?: number | undefined;
}

export function sendError(
  response: ServerResponse,
  error: ReplyError,
  headers?: Record<string, string>,
): void {
  const { type, message = type, status = STATUS_OF_ERROR[type] } = error;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const request_id = response.getHeader('request-id');
  response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id }));
}

/** Without a stream, an `error` event takes the form of an HTTP status. */
function interruptingError(reply: Reply): ReplyError | undefined {
  for (const it of reply.interruptions ?? [])
    if (it.type === 'error') return { type: it.error, message: it.message };
  return undefined;
}

function cut(request: ScriptedRequest, response: ServerResponse): void {
  request.finish('cut');
  response.destroy();
}

/** Ends early when the request does; without `ms`, only then. */
async function pause(ms: number | undefined, ended: Promise<void>): Promise<void> {
  if (ms === undefined) return ended;
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([time, ended]);
  clearTimeout(timer);
}
