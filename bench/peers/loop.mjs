import { PROMPT, order, runTool } from './program.mjs';

/** The loop of a tutorial for engines without an agent of their own: each model call and each tool call is one durable
 *  step. `step(name, act)` is the engine's; a finished step is not done again. `create(request)` calls the model. */
export async function agentLoop(step, create) {
  const { system, tools } = order.prompt;
  const messages = [{ role: 'user', content: PROMPT }];
  for (;;) {
    const reply = await step('callModel', () =>
      create({ model: 'claude-sonnet-4-5', max_tokens: 4096, system, tools, messages }),
    );
    messages.push({ role: 'assistant', content: reply.content });
    const calls = reply.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return;
    const results = [];
    for (const { id, name, input } of calls) {
      const content = await step(name, () => runTool(name, input));
      results.push({ type: 'tool_result', tool_use_id: id, content });
    }
    messages.push({ role: 'user', content: results });
  }
}
