import type { InboxMessage } from '../../transcript/message';
import { findText, isJsonObject, type JsonObject } from './json-object';
import type { InputLine } from './lines';
import { shownText, UnusableInput } from './unusable-input';

/** What a client of stream-json may say to us. `ignored`: nothing that asks for an answer. */
export type ClientMessage =
  | {
      readonly type: 'prompt';
      /** The client's own; undefined: it gave none. */
      readonly id: string | undefined;
      readonly content: InboxMessage['content'];
    }
  | {
      readonly type: 'control_request';
      readonly requestId: string;
      readonly subtype: string;
      readonly request: JsonObject;
    }
  /** The answer to a request of ours. `response`: what it says; null: it is an error, `error` says which. */
  | {
      readonly type: 'control_response';
      readonly requestId: string;
      readonly response: JsonObject | null;
      readonly error: string;
    }
  /** The input ended in the middle of it. */
  | { readonly type: 'half_line'; readonly text: string }
  | { readonly type: 'ignored' };

const IGNORED: ClientMessage = { type: 'ignored' };

/** Fails: UnusableInput for lines after which nothing the client says can be trusted (spec of the protocol, 3.4). */
export function fromLine({ text: line, isWhole }: InputLine): ClientMessage {
  if (line.trim() === '') return IGNORED;
  const message = fromJson(line);
  if (message === undefined) {
    if (!isWhole) return { type: 'half_line', text: line };
    throw unusable('a line is not JSON', line);
  }
  if (!isJsonObject(message)) throw unusable('a line is no JSON object', line);
  switch (message['type']) {
    case 'user':
      return fromUser(message, line);
    case 'control_request':
      return fromControlRequest(message, line);
    case 'control_response':
      return fromControlResponse(message['response']);
    default:
      return IGNORED;
  }
}

/** undefined: it is none. */
function fromJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function fromUser(envelope: JsonObject, line: string): ClientMessage {
  const message = envelope['message'];
  if (!isJsonObject(message) || message['role'] !== 'user') {
    throw unusable("a user message has a role other than 'user'", line);
  }
  const content = message['content'];
  if (!isContent(content)) {
    throw unusable('the content of a user message is neither a text nor a list of blocks', line);
  }
  return { type: 'prompt', id: findText(envelope, 'uuid'), content };
}

/** Only the frame is checked: which blocks are good is for the API to say. */
function isContent(content: unknown): content is InboxMessage['content'] {
  if (typeof content === 'string') return true;
  return (
    Array.isArray(content) &&
    content.every((block) => isJsonObject(block) && typeof block['type'] === 'string')
  );
}

function fromControlRequest(message: JsonObject, line: string): ClientMessage {
  const requestId = findText(message, 'request_id');
  const request = message['request'];
  if (requestId === undefined || !isJsonObject(request)) {
    throw unusable('a control_request has no request_id or no request', line);
  }
  const subtype = findText(request, 'subtype') ?? '';
  return { type: 'control_request', requestId, subtype, request };
}

/** Answers to what nobody asked are ignored, whatever they look like. */
function fromControlResponse(response: unknown): ClientMessage {
  if (!isJsonObject(response)) return IGNORED;
  const requestId = findText(response, 'request_id') ?? '';
  const said = response['response'];
  const isSuccess = response['subtype'] === 'success';
  return {
    type: 'control_response',
    requestId,
    response: isSuccess ? (isJsonObject(said) ? said : {}) : null,
    error: findText(response, 'error') ?? 'no reason given',
  };
}

function unusable(what: string, line: string): UnusableInput {
  return new UnusableInput(
    `Input cannot be used: ${what}. Send one JSON object a line (stream-json). Seen: ${shownText(line)}`,
  );
}
