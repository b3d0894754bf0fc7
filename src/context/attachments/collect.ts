import type { TurnAttachmentType } from '../../transcript/record';
import { attachDateChange } from './date-change';
import { attachFileChanges } from './file-changed';
import { attachHostChange } from './host-change';
import { attachNestedMemory } from './nested-memory';
import { attachRelevantMemory } from './relevant-memory';
import { attachSkills } from './skill-discovery';
import { attachTaskNotifications } from './task-notification';
import { attachTodoReminder } from './todo-reminder';
import type { AttachmentSource, TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

/** What a turn may wait for all of them (spec/loop 8.8). */
const LIMIT_MS = 1_000;

/** In the order in which the model reads them. */
const SOURCES: Readonly<Record<TurnAttachmentType, AttachmentSource>> = {
  file_changed: attachFileChanges,
  nested_memory: attachNestedMemory,
  relevant_memory: attachRelevantMemory,
  skills: attachSkills,
  todo_reminder: attachTodoReminder,
  date_change: attachDateChange,
  host_change: attachHostChange,
  task_notification: attachTaskNotifications,
};

export interface CollectedAttachments {
  readonly attachments: readonly TurnAttachment[];
  /** For the Worker's log: what these sources had to tell comes with a later turn, if at all. */
  readonly errors: readonly SourceError[];
}

interface CollectOptions {
  readonly limitMs?: number;
  readonly sources?: Partial<Record<TurnAttachmentType, AttachmentSource>>;
}

interface SourceError {
  readonly source: TurnAttachmentType;
  readonly message: string;
}

/** What the next request should tell beside the turn's results. A source that fails or is late yields nothing
 *  this time: never throws, and takes little more than the limit. Writes nothing: what is told counts as told
 *  once the caller has chained it. */
export async function collectTurnAttachments(
  facts: TurnFacts,
  { limitMs = LIMIT_MS, sources = SOURCES }: CollectOptions = {},
): Promise<CollectedAttachments> {
  const clock = startClock(limitMs);
  try {
    const asked = Object.entries(sources) as [TurnAttachmentType, AttachmentSource][];
    const answers = await Promise.all(
      asked.map(([name, source]) => ask(name, source, facts, clock.late)),
    );
    return {
      attachments: answers.flatMap(({ attachment }) => attachment ?? []),
      errors: answers.flatMap(({ error }) => error ?? []),
    };
  } finally {
    clock.stop();
  }
}

interface Answer {
  readonly attachment?: TurnAttachment | null;
  readonly error?: SourceError;
}

async function ask(
  name: TurnAttachmentType,
  source: AttachmentSource,
  facts: TurnFacts,
  late: Promise<never>,
): Promise<Answer> {
  try {
    return { attachment: await Promise.race([source(facts), late]) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { source: name, message } };
  }
}

function startClock(limitMs: number): { readonly late: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Took longer than ${limitMs} ms.`)), limitMs);
  });
  // With no source in the race nobody listens.
  late.catch(() => undefined);
  return { late, stop: () => clearTimeout(timer) };
}
