import type { TranscriptRecord } from '../transcript/record';
import type { Attempt } from './attempt';
import type { ActivityDeps } from './deps';
import type { ToolUseSummaryInput } from './interface';
import { openQueryCall, type QueryCall } from './query-call';
import { callIn } from './run-tool/find-call';
import { askSmallModel } from './small-model';

/** spec/loop 5.15. Characters. */
const OF_INPUT = 300;
const OF_LAST_TEXT = 200;
const LABEL_TOKENS = 40;
/** Ours: whatever the model makes of "about 30". Characters. */
const LONGEST_LABEL = 200;

const SYSTEM =
  'You write a label of about 30 characters, in the past tense, for what a batch of tools has just done. Answer with the label alone. Example: Fixed the date parser';

/** A label for people: "Ran the tests". null: the model gave none. Never worth a retry. */
export async function summarizeToolUse(
  deps: ActivityDeps,
  attempt: Attempt,
  { calls }: ToolUseSummaryInput,
): Promise<string | null> {
  const query = await openQueryCall(deps, attempt);
  const said = await textBefore(query, calls[0]?.recordId);
  const lines = await Promise.all(calls.map((call) => describe(query, call)));
  const label = await askSmallModel(
    query,
    { system: SYSTEM, text: [...said, ...lines].join('\n'), maxTokens: LABEL_TOKENS },
    AbortSignal.any([attempt.stop, attempt.over, attempt.forgotten]),
  );
  const told = label.trim().slice(0, LONGEST_LABEL);
  if (told === '') return null;
  const { session, queryId } = query;
  const ids = calls.map(({ id }) => id);
  await session.store.log.append(session.lease, [
    { type: 'tool_use_summary', queryId, summary: told, toolUseIds: ids },
  ]);
  return told;
}

/** What the model last said before the batch: why it made these calls. */
async function textBefore(
  { session }: QueryCall,
  recordId: string | undefined,
): Promise<readonly string[]> {
  const chain = recordId === undefined ? [] : await session.store.chain(recordId);
  const texts = chain.flatMap((record) =>
    record.type === 'assistant' && record.isApiErrorMessage !== true
      ? record.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
  return texts
    .slice(-1)
    .map((text) => `Before that the agent said: ${text.slice(0, OF_LAST_TEXT)}`);
}

async function describe(
  { session }: QueryCall,
  call: ToolUseSummaryInput['calls'][number],
): Promise<string> {
  const { store } = session;
  const record = await store.findRecord(call.recordId);
  const made = record === undefined ? undefined : callIn(record, call.id);
  const result = (await store.ledger.find(call))?.result;
  const input = JSON.stringify(made?.input ?? {}).slice(0, OF_INPUT);
  return `${made?.name ?? 'tool'} ${input} → ${textOf(result?.record).slice(0, OF_INPUT)}`;
}

function textOf(record: TranscriptRecord | undefined): string {
  return record?.type === 'user' ? JSON.stringify(record.message.content) : '';
}
