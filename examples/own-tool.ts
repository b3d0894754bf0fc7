/** An agent with a tool and a hook of its own, on a local Temporal server, asked one question. The model is scripted,
 *  so no key is needed and nothing leaves the machine.
 *  Run: npx tsx examples/own-tool.ts */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createWorker, defineAgent, defineTool } from '../src/agent';
import { startScriptedModel } from '../src/scripted-model/scripted-model';
import { stopServer } from '../src/server/local-server';

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

const asks = (fruit: string) => ({
  content: [{ type: 'tool_use' as const, name: 'InStock', input: { fruit } }],
});
const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'everloop-example-'));
  const model = await startScriptedModel({
    script: [asks('apples'), says('12 apples.'), asks('pears'), says('There are no pears left.')],
  });
  try {
    const worker = await createWorker({
      agents: [clerk],
      taskQueue: 'fruit-shop',
      environment: {
        PATH: process.env['PATH'],
        EVERLOOP_TEMPORAL_CLI: process.env['EVERLOOP_TEMPORAL_CLI'],
        EVERLOOP_HOME: home,
        CLAUDE_CONFIG_DIR: join(home, 'claude'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'scripted',
      },
    });
    const session = await worker.openSession({ cwd: home, options: { agent: 'clerk' } });
    console.log('  asked: How many apples are there?');
    const result = await session.ask('How many apples are there?', { isLast: true });
    console.log(`  answered after ${String(result.num_turns)} turns: ${result.result ?? ''}`);
    await worker.stop();
  } finally {
    await stopServer(home);
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

void main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
