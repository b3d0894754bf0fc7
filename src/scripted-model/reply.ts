import { z } from 'zod';

const errorType = z.enum([
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'timeout_error',
  'overloaded_error',
]);
export type ErrorType = z.infer<typeof errorType>;

/** HTTP status that the Messages API sends with each type of error. */
export const STATUS_OF_ERROR: Readonly<Record<ErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** A gate's name: what follows waits until the gate is released, or for ever. */
const hold = z.string().optional();

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), hold }),
  z.strictObject({
    type: z.literal('tool_use'),
    /** Default: made from the places of reply and block, so a repeated reply repeats it. */
    id: z.string().optional(),
    name: z.string(),
    input: z.unknown().optional(),
    /** Sent in place of `input`, byte for byte: for broken JSON. Without a stream, sent as a string. */
    rawJson: z.string().optional(),
    hold,
  }),
  z.strictObject({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.string(),
    hold,
  }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string(), hold }),
  /** A search of the API's own, and what it found. */
  z.strictObject({
    type: z.literal('server_tool_use'),
    id: z.string(),
    input: z.strictObject({ query: z.string() }),
    hold,
  }),
  z.strictObject({
    type: z.literal('web_search_tool_result'),
    tool_use_id: z.string(),
    content: z.array(
      z.strictObject({ url: z.string(), title: z.string(), encrypted_content: z.string() }),
    ),
    hold,
  }),
]);

/** Exactly one of both: after so many finished blocks (0: after message_start), or so many deltas. */
const at = { afterBlocks: z.number().int().optional(), afterDeltas: z.number().int().optional() };

const interruption = z
  .discriminatedUnion('type', [
    /** The connection breaks. */
    z.strictObject({ type: z.literal('cut'), ...at }),
    /** An SSE `error` event, then the end. */
    z.strictObject({
      type: z.literal('error'),
      error: errorType,
      message: z.string().optional(),
      ...at,
    }),
    /** Nothing comes for so long; without `ms` nothing more ever comes. */
    z.strictObject({ type: z.literal('stall'), ms: z.number().optional(), ...at }),
    z.strictObject({ type: z.literal('hold'), name: z.string(), ...at }),
    /** Bytes that are no event. */
    z.strictObject({ type: z.literal('garbage'), text: z.string(), ...at }),
  ])
  .refine((it) => (it.afterBlocks === undefined) !== (it.afterDeltas === undefined), {
    message: 'give afterBlocks or afterDeltas, and not both',
  });

export const replySchema = z.strictObject({
  content: z.array(block).readonly().optional(),
  /** Default: `tool_use` if the content has one, else `end_turn`. */
  stop_reason: z
    .enum([
      'end_turn',
      'max_tokens',
      'stop_sequence',
      'tool_use',
      'pause_turn',
      'refusal',
      'model_context_window_exceeded',
    ])
    .optional(),
  /** Replaces counts that are else taken from the bytes of request and content. */
  usage: z
    .strictObject({
      input_tokens: z.number().exactOptional(),
      output_tokens: z.number().exactOptional(),
      cache_creation_input_tokens: z.number().exactOptional(),
      cache_read_input_tokens: z.number().exactOptional(),
      server_tool_use: z.strictObject({ web_search_requests: z.number() }).exactOptional(),
    })
    .optional(),
  /** Default: a name that says what it is. */
  model: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Answer with an HTTP error. `status` defaults to the one the API uses for the type. */
  error: z
    .strictObject({
      type: errorType,
      message: z.string().optional(),
      status: z.number().int().optional(),
    })
    .optional(),
  /** `at_once`: the connection closes before the first byte of an answer. */
  cut: z.literal('at_once').optional(),
  /** Sent in place of an answer, byte for byte: for what is no answer of the API at all. */
  raw: z
    .strictObject({
      /** Default: 200. */
      status: z.number().int().optional(),
      /** UTF-8. */
      body: z.string().optional(),
      /** Bytes that are no text, behind the body. */
      base64: z.base64().optional(),
      /** `stall`: nothing more comes, and the connection stays. `repeat`: the same again, until the client leaves. */
      ending: z.enum(['end', 'stall', 'repeat']).optional(),
    })
    .optional(),
  /** Before the first byte. */
  delayMs: z.number().optional(),
  hold,
  afterBlockMs: z.number().optional(),
  deltaDelayMs: z.number().optional(),
  /** Length of a delta. Default: 64, or more where a block would have over 256 deltas. */
  deltaChars: z.number().int().positive().optional(),
  /** Those at one place happen in this order. */
  interruptions: z.array(interruption).readonly().optional(),
  /** With `match: 'conversation'`: the request is expected again, and the next reply answers it.
   *  Default: true for an error, a cut and raw bytes, since those leave no assistant message. */
  isRetried: z.boolean().optional(),
});

/** What the model says to one request, and what goes wrong on the way. JSON. */
export type Reply = z.infer<typeof replySchema>;
export type ReplyBlock = z.infer<typeof block>;
export type Interruption = z.infer<typeof interruption>;

/** For messages about a reply: its place, and enough of it to find it in the script. */
export function describeReply(reply: Reply, index: number): string {
  const content = (reply.content ?? []).map(describeBlock).join(', ');
  const what = reply.error
    ? `error ${reply.error.type}`
    : reply.cut
      ? 'cut'
      : reply.raw
        ? 'raw bytes'
        : content;
  return `reply ${index} (${what === '' ? 'no content' : what})`;
}

function describeBlock(it: ReplyBlock): string {
  if (it.type === 'text') return `text ${JSON.stringify(it.text.slice(0, 40))}`;
  return it.type === 'tool_use' ? `tool_use ${it.name}` : it.type;
}
