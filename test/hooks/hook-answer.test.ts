import { toHookAnswer } from '../../src/hooks/hook-answer';
import type { HookInput } from '../../src/hooks/hook-event';
import type { HookRun } from '../../src/hooks/hook-run';
import { postToolUse, preToolUse, sessionEnd, userPrompt } from './given';

const answer = (input: HookInput, stdout: unknown, over: Partial<HookRun> = {}) =>
  toHookAnswer(input, {
    outcome: 'success',
    exitCode: 0,
    stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout),
    stderr: '',
    durationMs: 1,
    isDetached: false,
    ...over,
  });
const specific = (hookEventName: string, more: object) => ({
  hookSpecificOutput: { hookEventName, ...more },
});

const permissionRequest: HookInput = { ...preToolUse(), hook_event_name: 'PermissionRequest' };

test.each([
  [
    { decision: 'approve', reason: 'old form' },
    { behavior: 'allow', reason: 'old form' },
  ],
  [
    { decision: 'block', reason: 'old form' },
    { behavior: 'deny', reason: 'old form' },
  ],
  [
    specific('PreToolUse', { permissionDecision: 'defer', permissionDecisionReason: 'later' }),
    { behavior: 'ask', reason: 'later' },
  ],
  [
    specific('PreToolUse', { permissionDecision: 'deny' }),
    { behavior: 'deny', reason: 'A PreToolUse hook said deny and gave no reason.' },
  ],
  [{}, null],
])('PreToolUse, %j', (json, permission) => {
  expect(answer(preToolUse(), json).permission).toEqual(permission);
});

test.each([
  [
    { behavior: 'allow', updatedInput: { a: 1 } },
    { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [] },
  ],
  [
    { behavior: 'deny', message: 'no', interrupt: true },
    { behavior: 'deny', message: 'no', interrupt: true },
  ],
])('PermissionRequest, decision %j', (decision, expected) => {
  const said = answer(permissionRequest, specific('PermissionRequest', { decision }));

  expect(said.requestDecision).toEqual(expected);
});

test('a PostToolUse hook replaces the output; the older field does so for MCP tools only', () => {
  const newer = specific('PostToolUse', { updatedToolOutput: 'new' });
  const older = specific('PostToolUse', { updatedMCPToolOutput: 'new' });

  expect(answer(postToolUse('Read'), newer).updatedOutput).toEqual({ value: 'new' });
  expect(answer(postToolUse('Read'), older).updatedOutput).toBeNull();
  expect(answer(postToolUse('mcp__a__b'), older).updatedOutput).toEqual({ value: 'new' });
});

test.each([
  ['an unknown value', { decision: 'maybe' }, 'cannot be used'],
  ['a wrong type', { continue: 'no' }, 'cannot be used'],
  ['another event', specific('PostToolUse', {}), 'answered for PostToolUse'],
  ['broken JSON', '{"decision": ', 'cannot be read'],
])('%s is a problem and no decision', (_, json, problem) => {
  const said = answer(preToolUse(), json);

  expect(said.problem).toContain(problem);
  expect(said.permission).toBeNull();
});

test('text that only looks like JSON is context where text is', () => {
  expect(answer(userPrompt(), '{{name}}').context).toBe('{{name}}');
});

test('an objection to what has happened already is shown to people', () => {
  const said = answer(sessionEnd(), '', { outcome: 'blocking', exitCode: 2, stderr: 'stay' });

  expect(said).toMatchObject({
    blocking: null,
    problem: 'objected, too late for this event: stay',
  });
});

test('the answer of a hook in the background does not count', () => {
  const said = answer(preToolUse(), '{"async":true}\n{"decision":"block"}', { isDetached: true });

  expect(said).toMatchObject({ permission: null, problem: null });
});
