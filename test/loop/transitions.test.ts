import { ESCALATED_OUTPUT_TOKENS, type State } from '../../src/loop/state';
import type { QueryParams } from '../../src/loop/query-params';
import {
  call,
  compacted,
  DONE,
  gates,
  params,
  reply,
  toolReply,
  tooBigMedia,
  tooLong,
  truncated,
  usageOf,
  usedLocals,
  usedState,
} from './builders';
import { runLoop, type LoopRun } from './run-loop';
import { scriptedDeps, type Host, type Step } from './scripted-deps';

/** Every field of this State differs from what a query starts with, so that a field that is reset and one that is
 *  kept cannot be taken for each other. */
const before = usedState({
  hasAttemptedReactiveCompact: false,
  transition: { reason: 'next_turn' },
});
const locals = usedLocals();
/** The model of the context, so that no fallback takes place. */
const model = before.toolUseContext.model;
/** Each iteration counts: that is what "same" means for it. */
const sameTracking = { ...before.autoCompactTracking, turnCounter: 6 };

/** Runs the loop from `state` through one iteration that `steps` make, and to its end. */
async function leave(
  state: State,
  steps: readonly Step[],
  { host = {}, given = {} }: { host?: Host; given?: Partial<QueryParams> } = {},
): Promise<LoopRun> {
  const goodbye = reply({ model, usage: usageOf({ output_tokens: 100_000 }) });
  const carried = params({ ...given, carry: { state, locals } });
  return runLoop(carried, scriptedDeps([...steps, goodbye], host));
}

test('next_turn', async () => {
  const runTool = () => Promise.resolve({ ...DONE, workingDirectory: '/moved' });

  const { states } = await leave(
    { ...before, hasAttemptedReactiveCompact: true, toolUseContext: asMain(before) },
    [toolReplyOf('a')],
    { host: { runTool }, given: { gates: gates({ toolUseSummaries: true }) } },
  );

  expect(states).toStrictEqual([
    {
      messages: {
        leaf: 'reply-leaf',
        pending: [{ type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' } }],
      },
      toolUseContext: { ...asMain(before), workingDirectory: '/moved' },
      autoCompactTracking: sameTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: 'label-7',
      stopHookActive: true,
      turnCount: 8,
      transition: { reason: 'next_turn' },
    },
  ]);
});

test('collapse_drain_retry', async () => {
  const { states } = await leave(before, [tooLong({ model })], {
    host: { drains: [{ leaf: 'drained', committed: 2 }] },
    given: { gates: gates({ contextCollapse: true }) },
  });

  expect(states).toStrictEqual([
    {
      ...before,
      messages: { leaf: 'drained', pending: [] },
      autoCompactTracking: sameTracking,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'collapse_drain_retry', committed: 2 },
    },
  ]);
});

test.each([
  ['a prompt that is too long', tooLong({ model })],
  ['media that are too large', { ...tooBigMedia(), model }],
])('reactive_compact_retry: %s', async (_what, refused) => {
  const { states } = await leave(before, [refused], {
    host: { compactions: [compacted('summary')] },
  });

  expect(states).toStrictEqual([
    {
      ...before,
      messages: { leaf: 'summary', pending: [] },
      autoCompactTracking: null,
      hasAttemptedReactiveCompact: true,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'reactive_compact_retry' },
    },
  ]);
});

test('max_output_tokens_escalate', async () => {
  const state = { ...before, maxOutputTokensOverride: null, maxOutputTokensRecoveryCount: 0 };

  const { states } = await leave(state, [truncated({ model, requestLeaf: 'asked' })], {
    given: { gates: gates({ cappedOutput: true }) },
  });

  expect(states).toStrictEqual([
    {
      ...state,
      messages: { leaf: 'asked', pending: [] },
      autoCompactTracking: sameTracking,
      maxOutputTokensOverride: ESCALATED_OUTPUT_TOKENS,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'max_output_tokens_escalate' },
    },
  ]);
});

test('max_output_tokens_recovery', async () => {
  const { states } = await leave(before, [truncated({ model, leaf: 'part' })]);

  expect(states).toStrictEqual([
    {
      ...before,
      messages: { leaf: 'part', pending: [{ type: 'nudge', nudge: 'output_limit' }] },
      autoCompactTracking: sameTracking,
      maxOutputTokensRecoveryCount: 3,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'max_output_tokens_recovery', attempt: 3 },
    },
  ]);
});

test.each([true, false])(
  'stop_hook_blocking keeps hasAttemptedReactiveCompact as it is (%s)',
  async (hasAttemptedReactiveCompact) => {
    const state = { ...before, hasAttemptedReactiveCompact, stopHookActive: null };

    const { states } = await leave(state, [reply({ model, hasStopHooks: true })], {
      host: { verdicts: [{ type: 'blocked', leaf: 'feedback' }] },
    });

    expect(states).toStrictEqual([
      {
        ...state,
        messages: { leaf: 'feedback', pending: [] },
        autoCompactTracking: sameTracking,
        maxOutputTokensRecoveryCount: 0,
        maxOutputTokensOverride: null,
        pendingToolUseSummary: null,
        stopHookActive: true,
        transition: { reason: 'stop_hook_blocking' },
      },
    ]);
  },
);

test('token_budget_continuation', async () => {
  const state = { ...before, hasAttemptedReactiveCompact: true };
  const more = reply({ model, leaf: 'early', usage: usageOf({ output_tokens: 4_000 }) });

  const { states } = await leave(state, [more]);

  expect(states).toStrictEqual([
    {
      ...state,
      messages: {
        leaf: 'early',
        pending: [{ type: 'nudge', nudge: 'token_budget', percent: 50 }],
      },
      autoCompactTracking: sameTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'token_budget_continuation' },
    },
  ]);
});

const toolReplyOf = (id: string) => ({ ...toolReply(call(id)), model });

/** Sub-agents have no label requests. */
const asMain = ({ toolUseContext }: State): State['toolUseContext'] => ({
  ...toolUseContext,
  queryTracking: { ...toolUseContext.queryTracking, depth: 0 },
});
