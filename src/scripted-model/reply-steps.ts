import { messageOf, partsOf, type Envelope } from './reply-message';
import type { Interruption, Reply } from './reply';

/** A piece of the answer's body, or something that happens between two pieces. */
export type Step =
  | string
  /** Without `ms` the pause never ends. */
  | { readonly type: 'pause'; readonly ms?: number | undefined }
  | { readonly type: 'hold'; readonly name: string }
  | { readonly type: 'cut' };

/** The reply as server-sent events.
 *  Fails: Error when the place of an interruption never comes. */
export function* streamSteps(reply: Reply, envelope: Envelope): Generator<Step> {
  const message = messageOf(reply, envelope);
  const due = new Set(reply.interruptions);
  let blocks = 0;
  let deltas = 0;

  const usage = { ...message.usage, output_tokens: 1 };
  yield event('message_start', { message: { ...message, content: [], stop_reason: null, usage } });
  yield event('ping', {});
  if (yield* interrupt(due, blocks, deltas)) return;
  for (const [index, block] of message.content.entries()) {
    const scripted = reply.content?.[index];
    const parts = partsOf(block, scripted, reply.deltaChars);
    if (scripted?.hold !== undefined) yield { type: 'hold', name: scripted.hold };
    yield event('content_block_start', { index, content_block: parts.start });
    for (const delta of parts.deltas) {
      yield event('content_block_delta', { index, delta });
      deltas++;
      if (yield* interrupt(due, blocks, deltas)) return;
      if (reply.deltaDelayMs) yield { type: 'pause', ms: reply.deltaDelayMs };
    }
    yield event('content_block_stop', { index });
    blocks++;
    if (yield* interrupt(due, blocks, deltas)) return;
    if (reply.afterBlockMs) yield { type: 'pause', ms: reply.afterBlockMs };
  }
  for (const missed of due)
    throw new Error(
      `Interruption ${JSON.stringify(missed)} never came: the reply has ${blocks} blocks and ${deltas} deltas. Move it, or lower deltaChars.`,
    );
  const { stop_reason, stop_sequence } = message;
  const { output_tokens, server_tool_use } = message.usage;
  yield event('message_delta', {
    delta: { stop_reason, stop_sequence },
    usage: { output_tokens, ...(server_tool_use && { server_tool_use }) },
  });
  yield event('message_stop', {});
}

/** The reply in one piece. Its interruptions come first, whatever their place: a body has no blocks to count. */
export function* wholeSteps(reply: Reply, envelope: Envelope): Generator<Step> {
  for (const it of reply.interruptions ?? []) {
    // An error became an HTTP status before any step (see wholeError).
    if (it.type !== 'error') yield stepOf(it);
    if (it.type === 'cut') return;
  }
  yield JSON.stringify(messageOf(reply, envelope));
}

/** Plays what is due here; true when the answer ends with it. */
function* interrupt(
  due: Set<Interruption>,
  blocks: number,
  deltas: number,
): Generator<Step, boolean> {
  for (const it of due) {
    if (it.afterBlocks !== blocks && it.afterDeltas !== deltas) continue;
    due.delete(it);
    yield stepOf(it);
    if (it.type === 'cut' || it.type === 'error') return true;
  }
  return false;
}

function stepOf(it: Interruption): Step {
  switch (it.type) {
    case 'cut':
      return { type: 'cut' };
    case 'stall':
      return { type: 'pause', ms: it.ms };
    case 'hold':
      return { type: 'hold', name: it.name };
    case 'garbage':
      return it.text;
    case 'error':
      return event('error', { error: { type: it.error, message: it.message ?? it.error } });
  }
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
