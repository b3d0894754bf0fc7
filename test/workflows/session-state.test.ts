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

describe('the host that served a query', () => {
  const workspace = { name: 'shared', taskQueue: 'shared-queue' };
  const placed = { ...session, input: { ...session.input, workspace } };
  const running = SessionState.queryStarted(state, { promptId: 'm', workflowId: 'w-m' });
  const served = SessionState.queryEnded(running, {
    ...{ promptId: 'm', leaf: 'end', consumed: [], reason: 'completed' },
    hostQueue: 'shared-queue-alpha',
  });

  test('is asked first by the next one', () => {
    expect(queryFor(served, request(), placed).input.workspace).toEqual({
      ...workspace,
      hostQueue: 'shared-queue-alpha',
    });
  });

  test('is not asked by a session that was moved away from it', () => {
    const moved = SessionState.adjusted(served, {
      workspace: { name: 'other', taskQueue: 'other-queue' },
    });

    expect(queryFor(moved, request(), placed).input.workspace).toEqual({
      name: 'other',
      taskQueue: 'other-queue',
    });
  });
});
