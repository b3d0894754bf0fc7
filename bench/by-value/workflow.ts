import type Anthropic from '@anthropic-ai/sdk';
import { proxyActivities } from '@temporalio/workflow';
import type { ByValueActivities, ByValueInput } from './interface';

const { callModel, callTool } = proxyActivities<ByValueActivities>({
  startToCloseTimeout: '30 seconds',
});

/** The loop as tutorials write it: the conversation is a variable of the Workflow, and all of it is the input of each
 *  model call. */
export async function byValueLoop({ prompt, text }: ByValueInput): Promise<void> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: text }];
  for (;;) {
    const reply = await callModel({
      model: 'claude-sonnet-4-5',
      max_tokens: 4_096,
      system: prompt.system,
      tools: prompt.tools.map((tool) => ({
        ...tool,
        input_schema: { ...tool.input_schema, required: [...tool.input_schema.required] },
      })),
      messages,
    });
    messages.push({ role: 'assistant', content: reply.content });
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const block of reply.content) {
      if (block.type !== 'tool_use') continue;
      const content = await callTool(block.name, block.input);
      results.push({ type: 'tool_result', tool_use_id: block.id, content });
    }
    if (results.length === 0) return;
    messages.push({ role: 'user', content: results });
  }
}
