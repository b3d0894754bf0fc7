import type { TranscriptRecord } from '../../transcript/record';
import { toReminder } from '../reminder';
import { attachedKeys } from './attached-keys';
import { filesKnown } from './known-file';
import type { Memory } from './memory-prefetch';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

/** Tells what the prefetch has found, if it is done: once per message of the user, and nothing that the model
 *  has read, written or been told already. */
export async function attachRelevantMemory(facts: TurnFacts): Promise<TurnAttachment | null> {
  const { chain, isMainThread, prefetched, mayRead = () => true } = facts;
  const memories = prefetched?.settled() ?? [];
  if (!isMainThread || memories.length === 0 || isTold(chain)) return null;
  const told = attachedKeys(chain, 'relevant_memory');
  const known = filesKnown(chain);
  const fresh = memories.filter(({ path }) => !told.has(path) && !known.has(path) && mayRead(path));
  if (fresh.length === 0) return null;
  return {
    type: 'relevant_memory',
    text: toReminder(
      [
        'Notes from earlier sessions that may bear on the task. They say what was true when they were written: check what you rely on, and leave aside what does not help.',
        ...fresh.map(render),
      ].join('\n\n'),
    ),
    filesSeen: [],
    keys: fresh.map(({ path }) => path),
  };
}

function isTold(chain: readonly TranscriptRecord[]): boolean {
  const turn = chain.slice(chain.findLastIndex(isPrompt) + 1);
  return turn.some(({ everloop }) => everloop?.attached?.source === 'relevant_memory');
}

/** What the user wrote, rather than results. */
const isPrompt = (record: TranscriptRecord): boolean =>
  record.type === 'user' &&
  record.isMeta !== true &&
  (typeof record.message.content === 'string' ||
    record.message.content.every((block) => block.type !== 'tool_result'));

const render = ({ path, text, isCut, savedOn }: Memory): string =>
  `Contents of ${path} (written on ${savedOn}):\n\n${text}${isCut ? '\n[cut: read the file for the rest]' : ''}`;
