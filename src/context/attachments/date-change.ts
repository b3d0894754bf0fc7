import { toReminder } from '../reminder';
import { attachedKeys } from './attached-keys';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

/** A session may last for days, and the system prompt keeps the day on which it began. In UTC, as there. */
export async function attachDateChange(facts: TurnFacts): Promise<TurnAttachment | null> {
  const today = facts.now.toISOString().slice(0, 10);
  const told = [...attachedKeys(facts.chain, 'date_change')].at(-1);
  if (today === (told ?? facts.startedAt.slice(0, 10))) return null;
  return {
    type: 'date_change',
    text: toReminder(`The date has changed: today is ${today}. There is no need to mention it.`),
    filesSeen: [],
    keys: [today],
  };
}
