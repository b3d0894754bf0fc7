import type { ContextMessage } from './context-message';
import { isPersistedOutput, persistedOutput } from './persisted-output';
import {
  listToolResults,
  replaceResults,
  textsOf,
  type PlaceFor,
  type Replacement,
  type ResultDecisions,
  type ToolResult,
} from './tool-results';

/** Source: spec/loop 3.3b. */
export const MESSAGE_BUDGET_CHARS = 200_000;

/** Its results are never replaced by a file that would have to be read again. */
const READS_FILES = 'Read';

export interface BudgetInput {
  readonly messages: readonly ContextMessage[];
  readonly decisions: ResultDecisions;
  /** Characters of all results of one user message. */
  readonly limitChars: number;
  readonly placeFor: PlaceFor;
}

export interface Replaced {
  readonly messages: readonly ContextMessage[];
  /** Replacements that were decided just now. */
  readonly fresh: readonly Replacement[];
}

/** Keeps the results of one user message under a limit. What was decided is applied again byte for byte, what
 *  was sent whole stays whole; only fresh results are replaced, largest first, until the rest fits. */
export function applyToolResultBudget(input: BudgetInput): Replaced {
  const messages = replaceResults(input.messages, input.decisions.replacements);
  const fresh = groupsOf(listToolResults(messages)).flatMap((group) => overBudget(group, input));
  return { messages: replaceResults(messages, textsOf(fresh)), fresh };
}

function groupsOf(results: readonly ToolResult[]): readonly (readonly ToolResult[])[] {
  const groups = new Map<number, ToolResult[]>();
  for (const result of results) {
    const group = groups.get(result.group);
    if (group === undefined) groups.set(result.group, [result]);
    else group.push(result);
  }
  return [...groups.values()];
}

function overBudget(results: readonly ToolResult[], input: BudgetInput): readonly Replacement[] {
  const { decisions, limitChars, placeFor } = input;
  let total = results.reduce((sum, { chars }) => sum + chars, 0);
  const fresh: Replacement[] = [];
  const candidates = results.flatMap((result) => candidateOf(result, decisions));
  for (const { toolUseId, text, chars } of candidates.sort((a, b) => b.chars - a.chars)) {
    if (total <= limitChars) break;
    const path = placeFor(toolUseId);
    if (path === null) continue;
    const wrapper = persistedOutput(text, path);
    if (wrapper.length >= chars) continue;
    total -= chars - wrapper.length;
    fresh.push({ toolUseId, text: wrapper, original: text });
  }
  return fresh;
}

type Candidate = ToolResult & { readonly text: string };

function candidateOf(result: ToolResult, decisions: ResultDecisions): readonly Candidate[] {
  const { toolUseId, tool, text } = result;
  if (text === null || tool === READS_FILES || isPersistedOutput(text)) return [];
  if (decisions.replacements.has(toolUseId) || decisions.seen(toolUseId)) return [];
  return [{ ...result, text }];
}
