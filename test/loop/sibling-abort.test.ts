import type { ToolUse } from '../../src/loop/context';
import type { ToolOutcome } from '../../src/loop/outcomes';
import { call, gates, params, reply, safeCall, toolReply } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { bench, follow, take } from './scheduler-bench';
import { scriptedDeps } from './scripted-deps';

const FAILED: ToolOutcome = { type: 'done', isError: true };
const safeBash = (id: string): ToolUse => call(id, { isConcurrencySafe: true });

describe('a Bash call that fails', () => {
  test('ends the calls beside it, and those that wait never start', async () => {
    const on = bench({ siblingAbort: true });
    take(on, safeBash('a'), safeCall('b'), call('X'));
    const { released, over } = follow(on);

    await on.finish('a', FAILED);
    expect(on.isUnwanted('b')).toBe(true);
    await on.finish('b', { type: 'interrupted' });
    await over;

    expect(on.started).toEqual(['a', 'b']);
    expect(released).toEqual(['a done', 'b sibling_error', 'X sibling_error']);
  });

  test('leaves a call its result that had it all the same', async () => {
    const on = bench({ siblingAbort: true });
    take(on, safeBash('a'), safeCall('b'));
    const { released, over } = follow(on);

    await on.finish('a', FAILED);
    await on.finish('b');
    await over;

    expect(released).toEqual(['a done', 'b done']);
  });

  test('of a stream that was given up leaves the kept calls alone', async () => {
    const on = bench({ siblingAbort: true });
    on.tools.addEarly('broken stream', safeBash('void'));
    await on.finish('void', FAILED);

    take(on, safeCall('a'), call('X'));
    const { released, over } = follow(on);
    expect(on.isUnwanted('a')).toBe(false);
    await on.finish('a');
    await on.finish('X');
    await over;

    expect(released).toEqual(['a done', 'X done']);
  });

  test('disturbs nobody where the policy is none', async () => {
    const on = bench({ siblingAbort: false });
    take(on, safeBash('a'), safeCall('b'), call('X'));
    const { released, over } = follow(on);

    for (const id of ['a', 'b', 'X']) await on.finish(id, FAILED);
    await over;

    expect(released).toEqual(['a done', 'b done', 'X done']);
  });

  test('is the only one that does: no other tool breaks what runs beside it', async () => {
    const on = bench({ siblingAbort: true });
    take(on, safeCall('a'), safeCall('b'));

    await on.finish('a', FAILED);

    expect(on.isUnwanted('b')).toBe(false);
  });
});

test.each([
  [true, 'sibling_error'],
  [false, undefined],
])('by the gate (%s) the model hears what became of the others', async (siblingAbort, lost) => {
  const deps = scriptedDeps([toolReply(call('a'), call('b')), reply()], ({ toolUse }) =>
    Promise.resolve(toolUse.id === 'a' ? FAILED : { type: 'done', isError: false }),
  );

  const run = await runLoop(params({ gates: gates({ siblingAbort }) }), deps);

  expect(reasonsOf(run)).toEqual(['next_turn']);
  expect(deps.requests[1]?.messages.pending[1]).toEqual({
    type: 'tool_result',
    toolUse: { id: 'b', recordId: 'record-b' },
    ...(lost !== undefined && { lost }),
  });
  expect(deps.toolCalls.every(({ unwanted }) => (unwanted !== undefined) === siblingAbort)).toBe(
    true,
  );
});
