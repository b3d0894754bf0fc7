import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/tool';
import type { ActivityDeps } from '../../../src/activities/deps';
import { given, type Given } from '../given';
import { expectSamePrefixes, messagesOf, resultsIn } from '../requests';
import { takeTurns } from '../turns';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;

/** A tool whose output has as many characters as its input says. */
const talk = defineTool({
  name: 'Bash',
  description: '',
  inputSchema: z.strictObject({ chars: z.number() }),
  summarize: () => '',
  call: async ({ chars }) => ({ content: String(chars % 10).repeat(chars), structured: null }),
});
const deps = { tools: [talk] };
const calls = (...chars: readonly number[]) => ({
  content: chars.map(
    (count) => ({ type: 'tool_use', name: 'Bash', input: { chars: count } }) as const,
  ),
});
const done = { content: [say('Done.')] };

async function play(
  replies: readonly {
    readonly content: ReturnType<typeof calls>['content'] | readonly ReturnType<typeof say>[];
  }[],
  changes: readonly Partial<ActivityDeps>[] = [],
): Promise<void> {
  at = await given({ script: replies });
  const said = await at.worker(deps).say('Go');
  await takeTurns(
    at,
    said,
    replies.map((_, index) => ({ ...deps, ...changes[index] })),
  );
}

const isPreview = (result: string): boolean => result.includes('<persisted-output>');

test('results that are too much together are replaced by stored previews, largest first', async () => {
  await play([calls(45_000, 49_999, 45_001, 45_002, 45_003), done]);

  const results = resultsIn(at, 1);
  expect(results.map(isPreview)).toEqual([false, true, false, false, false]);
  const [, file = ''] = /All of it is in: ([^\\]+)/.exec(results[1] ?? '') ?? [];
  expect(await readFile(file, 'utf8')).toBe('9'.repeat(49_999));
});

test('results that fit together are sent whole, also when an earlier message used up room', async () => {
  await play([calls(45_000, 45_000, 45_000, 45_000), calls(45_000), done]);

  expect(resultsIn(at, 1).concat(resultsIn(at, 2)).filter(isPreview)).toEqual([]);
});

test('each request begins with the bytes of the one before it, whatever was replaced and whoever asks', async () => {
  const large = calls(45_000, 45_001, 45_002, 45_003, 45_004);

  await play([large, calls(10), large, calls(30), done]);

  expectSamePrefixes(at);
  expect(resultsIn(at, 3).map(isPreview).filter(Boolean)).toHaveLength(1);
});

test('what was decided is a record in the transcript, and nobody else is told', async () => {
  await play([calls(45_000, 45_001, 45_002, 45_003, 45_004), done]);

  const worker = at.worker();
  const [decision, ...others] = (await worker.transcript()).filter(({ type }) => type === 'system');
  expect(others).toEqual([]);
  expect(decision).toMatchObject({ subtype: 'context_decisions' });
  expect(Object.keys(decision?.everloop?.decided?.replacements ?? {})).toHaveLength(1);
  expect(JSON.stringify(await worker.log())).not.toContain('context_decisions');
});

test('old results that were cleared after an hour stay cleared, byte for byte', async () => {
  const inTwoHours = () => new Date(Date.now() + 2 * 3_600_000);
  const replies = [1, 2, 3, 4, 5, 6].map((count) => calls(count));

  await play([...replies, calls(7), done], [{}, {}, {}, {}, {}, {}, { now: inTwoHours }]);

  const [late, after] = [messagesOf(at, 6), messagesOf(at, 7)];
  expect(JSON.stringify(late[2])).toContain('This old result was cleared');
  expect(JSON.stringify(late[4])).toContain('"22"');
  expect(JSON.stringify(after.slice(0, late.length))).toBe(JSON.stringify(late));
});
