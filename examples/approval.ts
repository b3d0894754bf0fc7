/** Automatic steps and a person's answers in turn: the agent waits, for as long as it takes, at each call.
 *  Run: npx tsx examples/approval.ts */
import { createAgentLoop, type Call, type Model, type Reply } from 'everloop/template';

interface Plan extends Reply {
  readonly text: string;
}

/** Stands in for a language model: two calls, then a last word. */
const model: Model<Plan> = {
  async complete(messages) {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const call = (name: string, input: unknown): Plan => ({
      text: `I would like to ${name}.`,
      toolCalls: [{ id: `call-${String(turn)}`, name, input }],
    });
    if (turn === 0) return call('read', { path: 'notes.txt' });
    if (turn === 1) return call('delete', { path: 'notes.txt' });
    return { text: 'All done.' };
  },
};

/** The other side of the approval: whoever answers sets the agent going again. */
function createDesk(answers: Readonly<Record<string, boolean>>) {
  return async ({ name }: Call): Promise<boolean> => {
    const answer = answers[name] ?? false;
    return new Promise((resolve) => {
      setTimeout(() => {
        console.log(`  person: ${answer ? 'yes' : 'no'} to ${name}`);
        resolve(answer);
      }, 20);
    });
  };
}

async function run(answers: Readonly<Record<string, boolean>>): Promise<void> {
  const agent = createAgentLoop(model, [{ role: 'user', content: 'tidy up' }], {
    maxTurns: 5,
    tools: new Map([
      ['read', async ({ path }: { path: string }) => `contents of ${path}`],
      ['delete', async ({ path }: { path: string }) => `${path} is gone`],
    ]),
    shouldContinue: ({ toolCalls }) => toolCalls !== undefined,
    onBeforeToolCall: createDesk(answers),
  });
  for await (const event of agent) {
    if (event.type === 'response') console.log(`  agent: ${event.data.text}`);
    if (event.type === 'tool_result') console.log(`  tool: ${String(event.data.result)}`);
    if (event.type === 'done') console.log(`  done: ${event.data.reason}`);
  }
}

async function main(): Promise<void> {
  console.log('A person who agrees:');
  await run({ read: true, delete: true });
  console.log('A person who does not:');
  await run({ read: true, delete: false });
}

void main();
