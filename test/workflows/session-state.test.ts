import { DEFAULT_GATES } from '../../src/loop/gates';
import type { SubmitRequest } from '../../src/workflows/interface';
import { queryFor, SessionState } from '../../src/workflows/session-state';

const request = (more: Partial<SubmitRequest> = {}): SubmitRequest => ({
  messageId: 'm',
  query: {
    toolUseContext: {
      model: 'model',
      permissionMode: 'default',
      workingDirectory: '/project',
      queryTracking: { chainId: 'm', depth: 0 },
    },
    maxTurns: null,
    maxOutputTokensOverride: null,
    maxToolConcurrency: 1,
    gates: DEFAULT_GATES,
  },
  ...more,
});
const session = {
  workflowId: 'w',
  input: { idleMs: 0, rolloverEvents: 100, carry: null },
};
const state = { ...SessionState.initial(), leaf: 'end' };

test('a message goes behind the end of the session', () => {
  expect(queryFor(state, request(), session).input.messages.leaf).toBe('end');
});

test('a message that says where it belongs goes there', () => {
  const { messages } = queryFor(state, request({ behind: 'earlier' }), session).input;

  expect(messages.leaf).toBe('earlier');
});
