import { factsOfModel } from '../../loop/price-table';
import { toReminder } from '../../context/reminder';
import type { TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { Tool } from '../../tools/tool';
import { prepareContext } from '../conversation/prepared-context';
import type { ConversationStart } from '../deps';
import { fromStoredTotals, TOTALS } from '../finish-query/session-totals';
import { attachmentRecord, systemRecord } from '../new-record';
import { runSessionHooks } from '../run-session-hooks';
import { toApiTool } from '../tool-catalog';
import type { ModelCall } from './call-model';
import type { AnsweredCommand, CommandAnswer } from './expand-message';

interface Conversation {
  /** null: nothing was said yet. */
  readonly leaf: string | null;
  readonly tools: readonly Tool[];
  readonly start: ConversationStart;
}

/** Commands about the conversation itself, answered without a request. */
export async function answerCommand(
  call: ModelCall,
  command: AnsweredCommand,
  of: Conversation,
): Promise<CommandAnswer> {
  switch (command) {
    case 'clear':
      return clear(call, of.leaf);
    case 'context':
      return { text: await contextText(call, of), before: [], after: [] };
    case 'cost':
      return { text: await costText(call.session.store), before: [], after: [] };
  }
}

/** Nothing before the boundary is part of a context any more; the transcript keeps it. */
async function clear(call: ModelCall, leaf: string | null): Promise<CommandAnswer> {
  const { facts, options } = call;
  const situation = { mode: options.permissionMode };
  await runSessionHooks(call, 'SessionEnd', situation, () => ({ reason: 'clear' }));
  const started = await runSessionHooks(call, 'SessionStart', situation, () => ({
    source: 'clear',
    model: options.model,
  }));
  const boundary: TranscriptRecord = {
    ...systemRecord(facts, 'compact_boundary'),
    content: 'Conversation cleared',
    level: 'info',
    logicalParentUuid: leaf,
    compactMetadata: { trigger: 'manual', preTokens: 0 },
  };
  return {
    text: 'The conversation begins anew. What was said before is forgotten; files are as they are.',
    before: [boundary],
    after: (started?.contexts ?? []).map((text) =>
      attachmentRecord(facts, 'hook', toReminder(text)),
    ),
  };
}

async function costText(store: SessionStore): Promise<string> {
  const { costUsd, models } = fromStoredTotals(await store.readDocument(TOTALS));
  const lines = Object.entries(models).map(
    ([model, used]) =>
      `${model}: ${used.inputTokens} input, ${used.outputTokens} output, ${used.cacheReadInputTokens} cache read, ${used.cacheCreationInputTokens} cache write tokens · $${used.costUSD.toFixed(4)}`,
  );
  return [`Cost of this session: $${costUsd.toFixed(4)}`, ...lines].join('\n');
}

/** Characters that a token has, roughly. */
const CHARS_PER_TOKEN = 4;

async function contextText(call: ModelCall, { leaf, tools, start }: Conversation): Promise<string> {
  const { session, input, options, deps } = call;
  const { model } = input;
  const { tokens } = await prepareContext({
    store: session.store,
    chain: leaf === null ? [] : await session.store.chain(leaf),
    model,
    options,
    settings: deps.context,
    now: deps.now(),
    mayCompact: false,
    skipBlockingCheck: true,
  });
  const { contextWindow } = factsOfModel(model);
  const about = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);
  const fixed = {
    'System prompt': about(start.system.join('\n')),
    Tools: about(JSON.stringify(tools.map(toApiTool))),
    'Memory files': about(start.userContext ?? ''),
  };
  const fixedSum = Object.values(fixed).reduce((total, part) => total + part, 0);
  // What the API counted for the last reply holds all of it.
  const messages = tokens > fixedSum ? tokens - fixedSum : tokens;
  const sum = fixedSum + messages;
  const percent = ((sum / contextWindow) * 100).toFixed(1);
  return [
    `Context of ${model}: about ${sum} of ${contextWindow} tokens (${percent} %)`,
    ...Object.entries({ ...fixed, Messages: messages }).map(
      ([name, part]) => `- ${name}: about ${part}`,
    ),
  ].join('\n');
}
