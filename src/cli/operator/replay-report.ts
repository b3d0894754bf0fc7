import type { ComparedCall } from '../../replay/compare-calls';
import type { ConversationFacts } from '../../replay/recorded-session';
import type { Replayed } from '../../replay/replay-session';
import { contextTokensOf } from '../../loop/usage';

/** A recorded session beside its replay. */
export interface Comparison {
  readonly sessionId: string;
  readonly recorded: ConversationFacts;
  readonly replayed: Replayed;
  readonly calls: readonly ComparedCall[];
}

export function toReportJson({ sessionId, recorded, replayed, calls }: Comparison): string {
  const side = ({ model, turns, calls: made, usage, costUsd, answer }: ConversationFacts) => ({
    model,
    turns,
    toolCalls: made.length,
    usage,
    costUsd,
    answer,
  });
  return JSON.stringify({
    sessionId,
    recorded: side(recorded),
    replayed: { ...side(replayed), ended: replayed.ended },
    calls,
  });
}

const MARKS = { same: '=', no_result: '?', not_made: '-' } as const;
const INPUT_CHARS = 100;

export function toReport(comparison: Comparison): string {
  const { sessionId, recorded, replayed, calls } = comparison;
  const count = (type: ComparedCall['type']): string =>
    String(calls.filter((call) => call.type === type).length);
  const rows: readonly (readonly [string, string, string])[] = [
    ['', 'RECORDED', 'REPLAYED'],
    ['model', recorded.model ?? '', replayed.model ?? ''],
    ['ended', '', replayed.ended ?? ''],
    ['turns', String(recorded.turns), String(replayed.turns)],
    ['tokens', tokens(recorded), tokens(replayed)],
    ['cost', usd(recorded), usd(replayed)],
    ['tool calls', String(recorded.calls.length), String(replayed.calls.length)],
    ['  = made before as well', '', count('same')],
    ['  ? without a recorded result', '', count('no_result')],
    ['  - not made again', count('not_made'), ''],
  ];
  const lines = [
    `Session ${sessionId}. No tool was run; results are the recorded ones.`,
    ...aligned(rows),
    ...calls.map(({ type, name, input }) => `  ${MARKS[type]} ${name} ${shown(input)}`),
    'Answer recorded:',
    indented(recorded.answer),
    'Answer replayed:',
    indented(replayed.answer),
  ];
  return `${lines.join('\n')}\n`;
}

const tokens = ({ usage }: ConversationFacts): string => String(contextTokensOf(usage));
const usd = ({ costUsd }: ConversationFacts): string => `${costUsd.toFixed(4)} USD`;
const indented = (text: string): string => text.replace(/^/gm, '  ');

function shown(input: unknown): string {
  const text = JSON.stringify(input);
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS)}…` : text;
}

function aligned(rows: readonly (readonly [string, string, string])[]): readonly string[] {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const widths = [width(0), width(1)] as const;
  return rows.map(([name, recorded, replayed]) =>
    `${name.padEnd(widths[0])}  ${recorded.padEnd(widths[1])}  ${replayed}`.trimEnd(),
  );
}
