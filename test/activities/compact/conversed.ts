import { compact } from '../../../src/activities/compact/compact';
import type { CompactInput } from '../../../src/activities/interface';
import type { CompactOutcome } from '../../../src/loop/compaction';
import type { Reply } from '../../../src/scripted-model/reply';
import type { InboxMessage } from '../../../src/transcript/message';
import type { TranscriptRecord } from '../../../src/transcript/record';
import type { FakeAttempt } from '../fake-attempt';
import { given, MODEL, type Given, type GivenWorker, type Said } from '../given';
import { firstTurn, takeTurn } from '../turns';

/** A conversation of some prompts and replies. */
export interface Conversed extends Given {
  readonly said: Said;
  readonly leaf: string;
}

export const text = (words: string) => ({ type: 'text', text: words }) as const;
export const says = (words: string): Reply => ({ content: [text(words)] });
export const SUMMARY = says('<analysis>Private.</analysis>\n<summary>Ann greets.</summary>');
export const badRequest = (message = 'No.'): Reply => ({
  error: { type: 'invalid_request_error', message },
});

type Exchange = readonly [InboxMessage['content'], ...Reply[]];

/** Each prompt is answered by the replies behind it, calls of which are run; `later` is what the model says then. */
export async function conversed(
  exchanges: readonly Exchange[],
  later: readonly Reply[] = [],
  before: (at: Given) => Promise<void> = () => Promise.resolve(),
): Promise<Conversed> {
  const at = await given({ script: [...exchanges.flatMap(([, ...replies]) => replies), ...later] });
  await before(at);
  let end: { readonly said: Said; readonly leaf: string } | null = null;
  for (const [prompt, ...replies] of exchanges) {
    const worker = at.worker();
    const said = await worker.say(prompt);
    let turn = firstTurn(said, end?.leaf ?? null);
    for (let left = replies.length; left > 0; left -= 1) turn = await takeTurn(at, worker, turn);
    end = { said, leaf: turn.leaf ?? '' };
  }
  if (end === null) throw new Error('A conversation has a prompt.');
  return { ...at, said: end.said, leaf: end.leaf };
}

/** Rounds of one word each. */
export const rounds = (count: number): readonly Exchange[] =>
  Array.from({ length: count }, (_, index) => [`Prompt ${index}`, says(`Reply ${index}`)] as const);

export function compacted(
  at: Conversed,
  worker: GivenWorker,
  more: Partial<CompactInput> & { readonly leaf?: string; readonly attempt?: FakeAttempt } = {},
): Promise<CompactOutcome> {
  const { leaf = at.leaf, attempt = at.said.attempt('compact'), ...rest } = more;
  const messages = { leaf, pending: [] };
  return compact(worker.deps, attempt, {
    messages,
    model: MODEL,
    mode: 'default',
    trigger: 'auto',
    ...rest,
  });
}

/** The context that a compaction left, oldest first.
 *  Fails: Error when there was none. */
export async function contextAfter(
  worker: GivenWorker,
  outcome: CompactOutcome,
): Promise<readonly TranscriptRecord[]> {
  if (outcome.type !== 'compacted') throw new Error(`Not compacted: ${JSON.stringify(outcome)}`);
  return (await worker.session()).store.chain(outcome.leaf);
}
