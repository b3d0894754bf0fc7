/** A long task as a tool of an agent: its progress comes through the agent's own events, unbuffered, and a
 *  time limit for the whole run stops it cleanly.
 *  Run: npx tsx examples/test-runner.ts */
import { setTimeout as wait } from 'node:timers/promises';
import { createAgentLoop, type Model, type Reply, type ToolHandler } from 'everloop/template';

interface TestProgress {
  readonly type: 'test';
  readonly name: string;
  readonly passed: boolean;
}

interface Answer extends Reply {
  readonly text: string;
}

const SUITE = ['parses', 'validates', 'saves', 'loads', 'prints'];

/** Stands in for a language model: asks for the suite once, then tells what it saw. */
const model: Model<Answer> = {
  async complete(messages) {
    const last = messages.at(-1);
    return last?.role === 'tool'
      ? { text: `The suite says: ${String(last.content)}` }
      : { text: '', toolCalls: [{ id: 'call-1', name: 'run_tests', input: { suite: SUITE } }] };
  },
};

const runTests: ToolHandler<TestProgress> = async function* (
  { suite }: { suite: readonly string[] },
  { signal },
) {
  let failures = 0;
  for (const name of suite) {
    await wait(20, undefined, { signal });
    const passed = name !== 'loads';
    failures += passed ? 0 : 1;
    yield { type: 'test', name, passed };
  }
  return `${String(failures)} of ${String(suite.length)} tests failed`;
};

async function run(limitMs: number): Promise<void> {
  const agent = createAgentLoop<Answer, TestProgress>(model, [{ role: 'user', content: 'test' }], {
    maxTurns: 5,
    tools: new Map([['run_tests', runTests]]),
    shouldContinue: ({ toolCalls }) => toolCalls !== undefined,
    signal: AbortSignal.timeout(limitMs),
  });
  for await (const event of agent) {
    if (event.type === 'test') console.log(`  ${event.passed ? 'ok  ' : 'FAIL'} ${event.name}`);
    if (event.type === 'response' && event.data.text !== '') console.log(`  ${event.data.text}`);
    if (event.type === 'done') console.log(`  done: ${event.data.reason}`);
  }
}

async function main(): Promise<void> {
  console.log('With time enough:');
  await run(10_000);
  console.log('With a limit of 50 ms:');
  await run(50);
}

void main();
