import { randomUUID } from 'node:crypto';
import type { Tally } from '../../loop/tally';
import type { Terminal } from '../../loop/terminal';
import { addUsage, NO_USAGE } from '../../loop/usage';
import type { TranscriptRecord } from '../../transcript/record';
import type { PermissionDenial, QueryResult } from '../../transcript/session-log';
import { isRefusedPrompt } from '../call-model/prompt-hooks';
import type { SessionTotals } from './session-totals';

export interface ResultParts {
  readonly terminal: Terminal;
  readonly tally: Tally;
  readonly totals: SessionTotals;
  readonly denials: readonly PermissionDenial[];
  /** The query's context, oldest first. */
  readonly chain: readonly TranscriptRecord[];
  readonly nowMs: number;
}

/** The end of a query in the words of the SDK's `result` message (spec/loop 7.8, 7.9). */
export function toQueryResult(parts: ResultParts): QueryResult {
  const { terminal, tally, totals, denials, chain, nowMs } = parts;
  const verdict = verdictOn(terminal);
  return {
    subtype: verdict.subtype,
    is_error: verdict.isError,
    duration_ms: Math.max(0, nowMs - tally.startedAtMs),
    duration_api_ms: tally.apiMs,
    num_turns: tally.numTurns,
    stop_reason: tally.stopReason,
    total_cost_usd: totals.costUsd,
    usage: Object.values(tally.usageByModel).reduce(addUsage, NO_USAGE),
    modelUsage: totals.models,
    permission_denials: denials,
    terminal_reason: terminal.reason,
    uuid: randomUUID(),
    ...(verdict.subtype === 'success' ? answerOf(terminal, chain) : { errors: verdict.errors }),
  };
}

type Verdict = Pick<QueryResult, 'subtype'> & {
  readonly isError: boolean;
  readonly errors: readonly string[];
};

function verdictOn(terminal: Terminal): Verdict {
  switch (terminal.reason) {
    case 'completed': {
      const isError = terminal.detail === 'api_error' || terminal.detail === 'output_limit';
      return { subtype: 'success', isError, errors: [] };
    }
    case 'blocking_limit':
    case 'rapid_refill_breaker':
    case 'prompt_too_long':
    case 'image_error':
      return { subtype: 'success', isError: true, errors: [] };
    case 'stop_hook_prevented':
    case 'hook_stopped':
      return { subtype: 'success', isError: false, errors: [] };
    case 'budget_exhausted':
      return budgetVerdict(terminal.limit);
    case 'structured_output_retry_exhausted':
      return {
        subtype: 'error_max_structured_output_retries',
        isError: true,
        errors: ['The model gave no value of the schema that was asked for (--json-schema).'],
      };
    case 'model_error':
      return { subtype: 'error_during_execution', isError: true, errors: [terminal.message] };
    case 'max_turns': {
      const limit = terminal.turnCount - 1;
      return {
        subtype: 'error_max_turns',
        isError: true,
        errors: [`Reached the limit of ${limit} turns (--max-turns).`],
      };
    }
    case 'aborted_streaming':
    case 'aborted_tools': {
      const who = terminal.by === 'user' ? 'the user' : 'a new message';
      return {
        subtype: 'error_during_execution',
        isError: true,
        errors: [`Stopped by ${who} (${terminal.reason}).`],
      };
    }
  }
}

/** Clients know a subtype for money alone. */
function budgetVerdict(limit: 'tokens' | 'time' | undefined): Verdict {
  if (limit === undefined) {
    const errors = ['Reached the money limit (--max-budget-usd).'];
    return { subtype: 'error_max_budget_usd', isError: true, errors };
  }
  const [what, flag] = limit === 'tokens' ? ['token', '--max-tokens'] : ['time', '--max-minutes'];
  const errors = [`Reached the ${what} limit (${flag}).`];
  return { subtype: 'error_during_execution', isError: true, errors };
}

/** The answer: the last text, or the value that was asked for, also as text. */
function answerOf(
  terminal: Terminal,
  chain: readonly TranscriptRecord[],
): Pick<QueryResult, 'result' | 'structured_output'> {
  const isValue = terminal.reason === 'completed' && terminal.detail === 'structured_output';
  if (!isValue) return { result: lastText(chain) };
  const value = chain.findLast((record) => record.everloop?.isStructuredOutput === true);
  const structured_output = value?.type === 'user' ? value.toolUseResult : null;
  return { result: JSON.stringify(structured_output), structured_output };
}

/** Text of the newest reply, or why there is none; "" when its last block is no text. */
function lastText(chain: readonly TranscriptRecord[]): string {
  const last = chain.findLast(
    (record) => record.type === 'assistant' || record.type === 'user' || isRefusedPrompt(record),
  );
  if (last?.type === 'system') return last.content ?? '';
  if (last?.type !== 'assistant') return '';
  const block = last.message.content.at(-1);
  return block?.type === 'text' ? block.text : '';
}
