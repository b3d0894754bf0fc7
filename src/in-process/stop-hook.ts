import { stopFeedback } from '../activities/injected-texts';
import { userRecord } from '../activities/new-record';
import type { StopPosition, StopVerdict } from '../loop/stop-hooks';
import type { TranscriptRecord } from '../transcript/record';
import type { Run } from './run';

/** Asks the caller before the run ends. What it objects is chained as a hidden message of the user. */
export async function runStopHook(
  { options, transcript, facts }: Run,
  { event, leaf, stopHookActive, mayBlock }: StopPosition,
): Promise<StopVerdict> {
  if (options.onStop === undefined || event === 'stop_failure') return { type: 'passed' };
  const lastMessage = lastReplyOf(transcript.chain(leaf));
  const objection = await options.onStop({ lastMessage, stopHookActive });
  if (objection?.type === 'end') return { type: 'prevented', leaf };
  if (objection === null || !mayBlock) return { type: 'passed' };
  const feedback = { ...userRecord(facts(), stopFeedback(objection.feedback)), isMeta: true };
  return { type: 'blocked', leaf: transcript.append(leaf, [feedback]).at(-1)?.uuid ?? leaf };
}

function lastReplyOf(chain: readonly TranscriptRecord[]): string {
  const last = chain.findLast((record) => record.type === 'assistant');
  if (last?.type !== 'assistant') return '';
  return last.message.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}
