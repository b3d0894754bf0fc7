import {
  fromQueryWorkflowId,
  queryWorkflowId,
  sessionIdOf,
  sessionWorkflowIdOf,
} from '../../src/loop/workflow-id';

const place = '0a1b2c3d';
const sessionId = '11111111-2222-4333-8444-555555555555';
const promptId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const session = `${place}-${sessionId}`;

test('a query is found again from its Workflow id', () => {
  const query = queryWorkflowId(session, promptId);

  expect(fromQueryWorkflowId(query)).toEqual({ place, sessionId, promptId });
});

test.each([session, queryWorkflowId(session, promptId)])('%s names its session', (workflowId) => {
  expect(sessionIdOf(workflowId)).toBe(sessionId);
  expect(sessionWorkflowIdOf(workflowId)).toBe(session);
});
