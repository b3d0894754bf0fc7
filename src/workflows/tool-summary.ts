import type { ToolCall } from '../loop/deps';
import { cutLine } from '../redact/preview';
import type { QueryInput } from './interface';

/** A call as the Temporal UI names what is done about it: "turn 12 · Bash npm test". */
export function toolSummary(
  { toolUse, turnCount }: Pick<ToolCall, 'toolUse' | 'turnCount'>,
  { view }: Pick<QueryInput, 'view'>,
  what: string = toolUse.name,
): string {
  const turn = `turn ${turnCount}`;
  if (view?.detail === 'none') return turn;
  const input = view?.detail === 'names' ? '' : toolUse.summary;
  return cutLine(`${turn} · ${what} ${input}`.trim());
}
