import { hasTurnHooks } from '../../agent/agent-hooks';
import type { ToolUse } from '../../loop/context';
import type { Gates } from '../../loop/gates';
import type {
  ApiErrorKind,
  ContextWarning,
  ModelOutcome,
  Reply,
  WithheldError,
} from '../../loop/outcomes';
import { NO_USAGE } from '../../loop/usage';
import type { RunOptions } from '../../transcript/message';
import type { AssistantRecord } from '../../transcript/record';
import type { Tool } from '../../tools/tool';
import { describeCall } from '../tool-catalog';
import type { ModelCall } from './call-model';

/** What an outcome takes from the call that asked. */
interface AskedBy extends Pick<ModelCall, 'hasStopHooks'> {
  /** Absent: a host without a UI. */
  readonly options?: Pick<RunOptions, 'uiDetail'>;
  /** Absent: there is no agent. */
  readonly agent?: ModelCall['agent'];
  readonly input: { readonly model: string };
}

/** The reply that its records tell of. An attempt that adopts its predecessor's records tells the same. */
export function replyOf(
  records: readonly AssistantRecord[],
  tools: readonly Tool[],
  { input, hasStopHooks, agent, options }: AskedBy,
  known?: { readonly requestLeaf: string; readonly stream: string; readonly model: string },
): Reply {
  const last = records.at(-1);
  const requestLeaf = known?.requestLeaf ?? records[0]?.parentUuid ?? '';
  const stopReason = last?.message.stop_reason ?? null;
  const toolUses = toolUsesOf(records, tools, options);
  return {
    type: 'reply',
    requestLeaf,
    leaf: last?.uuid ?? requestLeaf,
    stream: known?.stream ?? last?.everloop?.stream ?? '',
    toolUses,
    stopReason,
    withheld: toolUses.length === 0 && isTruncated(stopReason) ? 'output_limit' : null,
    apiError: last?.everloop?.apiError ?? null,
    usage: last?.message.usage ?? NO_USAGE,
    model: known?.model ?? modelOf(last) ?? input.model,
    apiMs: last?.everloop?.apiMs ?? 0,
    hasStopHooks,
    ...(agent !== undefined && hasTurnHooks(agent.hooks) && { hasTurnHooks: true }),
    isEmpty: last === undefined,
  };
}

/** The same, with the mark that the request had reached. */
export function warned(outcome: ModelOutcome, contextWarning: ContextWarning | null): ModelOutcome {
  if (outcome.type !== 'reply' || contextWarning === null) return outcome;
  return { ...outcome, contextWarning };
}

/** The model that was asked; null: none answered. */
function modelOf(record: AssistantRecord | undefined): string | null {
  if (record === undefined || record.isApiErrorMessage === true) return null;
  return record.everloop?.askedModel ?? record.message.model;
}

/** What a summary or a collapse may cure (spec/loop 4.5); null: nothing does. */
export function withheldAs(kind: ApiErrorKind, gates: Gates): WithheldError | null {
  if (kind === 'media_size') return gates.reactiveCompact ? kind : null;
  if (kind !== 'prompt_too_long') return null;
  return gates.reactiveCompact || gates.contextCollapse ? kind : null;
}

/** The API refused the request for its size. Nobody is told as long as a summary may cure it. */
export function withheldReply(
  { input, hasStopHooks }: AskedBy,
  requestLeaf: string,
  withheld: WithheldError,
): Reply {
  return {
    type: 'reply',
    requestLeaf,
    leaf: requestLeaf,
    stream: '',
    toolUses: [],
    stopReason: null,
    withheld,
    apiError: null,
    usage: NO_USAGE,
    model: input.model,
    apiMs: 0,
    hasStopHooks,
  };
}

/** What was kept of a reply that somebody stopped. */
export function interruptedOf(
  records: readonly AssistantRecord[],
  of: {
    readonly tools: readonly Tool[];
    readonly options?: Pick<RunOptions, 'uiDetail'>;
    readonly stream: string;
    readonly requestLeaf: string;
  },
): ModelOutcome {
  const leaf = records.at(-1)?.uuid ?? of.requestLeaf;
  const toolUses = toolUsesOf(records, of.tools, of.options);
  return { type: 'interrupted', messages: { leaf, pending: [] }, stream: of.stream, toolUses };
}

const isTruncated = (stopReason: string | null): boolean =>
  stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';

function toolUsesOf(
  records: readonly AssistantRecord[],
  tools: readonly Tool[],
  { uiDetail }: Pick<RunOptions, 'uiDetail'> = {},
): ToolUse[] {
  return records.flatMap(({ uuid: recordId, message }) =>
    message.content.flatMap((block) =>
      block.type === 'tool_use' ? [describeCall(tools, { ...block, recordId }, uiDetail)] : [],
    ),
  );
}
