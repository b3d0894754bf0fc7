import { ChatAnthropic } from '@langchain/anthropic';
import { tool } from '@langchain/core/tools';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { PROMPT, order, runTool, serve } from '../program.mjs';

const checkpointer = PostgresSaver.fromConnString(order.postgres);
await checkpointer.setup();

const tools = order.prompt.tools.map(({ name, description, input_schema }) =>
  tool((input) => runTool(name, input), { name, description, schema: input_schema }),
);
const agent = createReactAgent({
  llm: new ChatAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'bench',
    anthropicApiUrl: order.model,
    maxTokens: 4096,
  }),
  tools,
  prompt: order.prompt.system,
  checkpointer,
});

/** Each turn is two steps of the graph. */
const configOf = ({ id, calls }) => ({
  configurable: { thread_id: id },
  recursionLimit: 2 * calls + 1,
});

serve({
  run: (call) => agent.invoke({ messages: [{ role: 'user', content: PROMPT }] }, configOf(call)),
  // Nobody else would: a graph goes on when it is invoked again without input.
  resume: (call) => agent.invoke(null, configOf(call)),
});
