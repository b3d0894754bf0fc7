import { ApplicationFailure } from '@temporalio/common';
import type { AgentHooks } from '../../src/agent/agent-hooks';
import type { ToolResult } from '../../src/tools/tool';
import {
  call,
  called,
  recorded,
  resultOf,
  run,
  textOf,
  type Called,
} from '../activities/run-tool/called';
import { MINE, agentWith, noteTool } from './served';

let at: Called;
afterEach(() => at.close());

/** The model has called Note with the text "a". */
async function noted(hooks: AgentHooks, result: Partial<ToolResult> = {}) {
  const { tool, seen } = noteTool(result);
  const agents = [agentWith(hooks, tool)];
  at = await called([call('Note', { text: 'a' })], { ...MINE.options, worker: { agents } });
  const worker = at.worker({ agents });
  const act = () => run(at, worker, { mode: 'bypassPermissions' });
  return { worker, seen, act };
}

test('a call that beforeToolCall blocks is not run, and the model reads the reason', async () => {
  const { worker, seen, act } = await noted({
    beforeToolCall: () => ({ block: true, reason: 'Not today.' }),
  });

  const outcome = await act();

  expect(outcome).toEqual({ type: 'done', isError: true, denied: true });
  expect(await textOf(at, worker)).toBe('Not today.');
  expect(seen).toEqual([]);
});

test('arguments that beforeToolCall changes reach the tool unchecked; the transcript keeps the model’s', async () => {
  const { worker, seen, act } = await noted({
    beforeToolCall: ({ args }) => {
      Object.assign(args as object, { text: 7, more: 'unknown to the schema' });
      return undefined;
    },
  });

  await act();

  const { store } = await worker.session();
  const entry = await store.ledger.find(at.calls[0]!);
  expect(seen).toEqual([{ text: 7, more: 'unknown to the schema' }]);
  expect(entry?.intent?.hooks).toEqual({
    notes: [],
    args: { text: 7, more: 'unknown to the schema' },
  });
  expect(JSON.stringify(await worker.transcript())).not.toContain('unknown to the schema');
});

test('a throw of beforeToolCall is the call’s result', async () => {
  const { worker, seen, act } = await noted({
    beforeToolCall: () => {
      throw new Error('boom');
    },
  });

  expect(await act()).toEqual({ type: 'done', isError: true });
  expect(await textOf(at, worker)).toBe('boom');
  expect(seen).toEqual([]);
});

test('afterToolCall replaces the fields that it names and leaves the others', async () => {
  const heard: unknown[] = [];
  const { worker, act } = await noted(
    {
      afterToolCall: ({ result, isError, args }) => {
        heard.push({ result, isError, args });
        return { content: 'revised', terminate: true };
      },
    },
    { structured: { kept: true } },
  );

  const outcome = await act();

  expect(outcome).toEqual({ type: 'done', isError: false, terminate: true });
  expect(await textOf(at, worker)).toBe('revised');
  expect((await recorded(at, worker))?.record.toolUseResult).toEqual({ kept: true });
  expect(heard).toEqual([
    {
      result: { content: 'noted a', structured: { kept: true } },
      isError: false,
      args: { text: 'a' },
    },
  ]);
});

test('a throw of afterToolCall makes the result an error that ends nothing', async () => {
  const { worker, act } = await noted(
    {
      afterToolCall: () => {
        throw ApplicationFailure.nonRetryable('boom');
      },
    },
    { terminate: true },
  );

  expect(await act()).toEqual({ type: 'done', isError: true });
  expect(await resultOf(at, worker)).toMatchObject({ content: 'boom', is_error: true });
});

test('afterToolCall can take back that a tool wants no further reply', async () => {
  const { act } = await noted({ afterToolCall: () => ({ terminate: false }) }, { terminate: true });

  expect(await act()).toEqual({ type: 'done', isError: false });
});

test('a stop leaves a hook behind that does not listen', async () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const { worker } = await noted({
    beforeToolCall: async () => {
      isAsked();
      return new Promise(() => undefined);
    },
  });
  const attempt = at.attempt();

  const running = run(at, worker, { attempt, mode: 'bypassPermissions' });
  await asked;
  attempt.requestStop();

  expect(await running).toEqual({ type: 'interrupted' });
});
