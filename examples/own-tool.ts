/** An agent with a tool and a hook of its own, in a program that is its Worker.
 *  Run: npx tsx examples/own-tool.ts */
import { z } from 'zod';
import { createWorker, defineAgent, defineTool } from 'everloop';
import { calls, openStage, says } from './stage/stage';

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
]);

const inStock = defineTool({
  name: 'InStock',
  description: 'How many of a fruit are in stock.',
  inputSchema: z.strictObject({ fruit: z.string() }),
  summarize: ({ fruit }) => fruit,
  // It changes nothing: it may overlap with others, and simply be run again after a crash.
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: async ({ fruit }) => {
    const count = stock.get(fruit) ?? 0;
    return { content: `${count} ${fruit}`, structured: { count } };
  },
});

/** What the warehouse wants to be asked when the agent has nothing else to do. */
const questions = ['And pears?'];

const clerk = defineAgent({
  name: 'clerk',
  tools: [inStock],
  systemPrompt: 'You answer questions about the stock of a fruit shop.',
  hooks: {
    beforeToolCall: ({ name, args }) => {
      console.log(`  calls ${name} ${JSON.stringify(args)}`);
      return undefined;
    },
    getFollowUpMessages: () => questions.splice(0),
  },
});

const asks = (fruit: string) => calls(['InStock', { fruit }]);

/** What a scripted model says. */
const REPLIES = [asks('apples'), says('12 apples.'), asks('pears'), says('There are no pears.')];

async function main(): Promise<void> {
  const stage = await openStage(REPLIES);
  const worker = await createWorker({
    agents: [clerk],
    // A program that goes on with its sessions when it is started again has a queue with a name that stays.
    taskQueue: `fruit-shop-${String(process.pid)}`,
    environment: stage.environment,
  });
  try {
    const cwd = stage.folder('shop');
    // Its one tool needs nobody's permission.
    const options = { agent: 'clerk', allowedTools: ['InStock'] };
    const session = await worker.openSession({ cwd, options });
    console.log('  asked: How many apples are there?');
    const result = await session.ask('How many apples are there?', { isLast: true });
    console.log(`  answered after ${String(result.num_turns)} turns: ${result.result ?? ''}`);
  } finally {
    await worker.stop();
    await stage.close();
  }
}

void main();
