import type { Reply } from '../../scripted-model/reply';
import { clockMs } from '../clock';

/** Stands in a reply where the model writes the instant at which it hands the delta to its socket. */
const MARK = '@handed-over-at@ ';

/** A text of so many deltas, one every so many ms. They begin after `pauseMs`. */
export const stampedDeltas = (deltas: number, everyMs: number, pauseMs: number): Reply => ({
  content: [{ type: 'text', text: MARK.repeat(deltas) }],
  deltaChars: MARK.length,
  deltaDelayMs: everyMs,
  interruptions: [{ type: 'stall', ms: pauseMs, afterBlocks: 0 }],
});

/** What is written to the socket now. */
export const stamped = (text: string): string => text.replaceAll(MARK, `${clockMs()} `);

/** How long ago the stamp of a raw stream event was made, on this machine. undefined: it has none. */
export function ageMs(event: unknown): number | undefined {
  const { delta } = event as { readonly delta?: { readonly text?: string } };
  return delta?.text === undefined ? undefined : clockMs() - Number(delta.text);
}
