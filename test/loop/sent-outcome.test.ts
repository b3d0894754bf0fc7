import type { ModelOutcome, Reply } from '../../src/loop/outcomes';
import { fromSentOutcome, toSentOutcome } from '../../src/loop/sent-outcome';
import { NO_USAGE } from '../../src/loop/usage';

const usual: Reply = {
  type: 'reply',
  requestLeaf: 'leaf',
  leaf: 'leaf',
  stream: 'stream',
  toolUses: [],
  stopReason: 'end_turn',
  withheld: null,
  apiError: null,
  usage: { ...NO_USAGE, output_tokens: 3 },
  model: 'asked',
  apiMs: 5,
};

const outcomes: readonly ModelOutcome[] = [
  usual,
  { ...usual, withheld: 'output_limit', requestLeaf: 'request' },
  { ...usual, apiError: 'overloaded', stopReason: null },
  { ...usual, model: 'fallback' },
  { ...usual, hasStopHooks: true },
  { ...usual, hasTurnHooks: true },
  { ...usual, isEmpty: true },
  { ...usual, contextWarning: 'warning' },
  { ...usual, costUsd: 0.25 },
  { type: 'no_request', leaf: 'leaf' },
  { type: 'failed', messages: { leaf: null, pending: [] }, message: 'Why' },
  { type: 'interrupted', messages: { leaf: 'leaf', pending: [] }, stream: '', toolUses: [] },
];

test.each(outcomes)('what the Activity found out is what the Workflow reads (%#)', (outcome) => {
  expect(fromSentOutcome(toSentOutcome(outcome, 'asked'), 'asked')).toEqual(outcome);
});

test('what is usual or known does not cross', () => {
  expect(toSentOutcome(usual, 'asked')).toStrictEqual({
    type: 'reply',
    leaf: 'leaf',
    stream: 'stream',
    toolUses: [],
    stopReason: 'end_turn',
    usage: { output_tokens: 3 },
    apiMs: 5,
  });
});
