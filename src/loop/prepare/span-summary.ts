import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ContextMessage } from './context-message';
import { firstChars } from './excerpt';

const LONGEST_LINE = 160;
const MOST_LINES = 40;

/** What happened in a span, in few words and without a model: which tools were called on what, which of the calls
 *  failed, and the first words of what was said. */
export function summarise(span: readonly ContextMessage[]): string {
  const failed = new Set(
    span.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_result' && block.is_error === true ? [block.tool_use_id] : [],
      ),
    ),
  );
  const lines = span.flatMap(({ content }) => content.flatMap((block) => lineOf(block, failed)));
  const left = lines.length - MOST_LINES;
  return [
    '[Earlier work, shortened to save room. Call a tool again if its result is still needed.',
    ...lines.slice(0, MOST_LINES),
    ...(left > 0 ? [`… and ${left} more`] : []),
  ]
    .join('\n')
    .concat(']');
}

function lineOf(block: ContentBlockParam, failed: ReadonlySet<string>): readonly string[] {
  if (block.type === 'text') return [`- said: ${firstWords(block.text)}`];
  if (block.type !== 'tool_use') return [];
  const subject = firstWords(subjectOf(block.input));
  return [`- ${`${block.name} ${subject}`.trim()}${failed.has(block.id) ? ' (failed)' : ''}`];
}

/** Tools name first what they work on: a path, a command, a pattern. */
function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.values(input).find((value) => typeof value === 'string') ?? '';
}

/** On one line. */
function firstWords(text: string): string {
  // A long text is cut first: only its beginning is worth a search for white space.
  const line = firstChars(text, 4 * LONGEST_LINE)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LONGEST_LINE ? line : `${firstChars(line, LONGEST_LINE)}…`;
}
