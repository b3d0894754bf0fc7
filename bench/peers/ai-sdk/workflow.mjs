// The polyfills must come first: the AI SDK reads what the sandbox lacks while it loads.
import '@temporalio/ai-sdk/lib/load-polyfills.js';
import { temporalProvider } from '@temporalio/ai-sdk';
import { proxyActivities } from '@temporalio/workflow';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

const { callTool } = proxyActivities({ startToCloseTimeout: '1 minute' });

/** `generateText` in a Workflow, as the integration's guide has it: the model's Activity is the integration's own. */
export async function agent({ calls, prompt, text }) {
  const tools = Object.fromEntries(
    prompt.tools.map(({ name, description, input_schema }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(input_schema),
        execute: (input) => callTool(name, input),
      }),
    ]),
  );
  const { text: answer } = await generateText({
    model: temporalProvider.languageModel('claude-sonnet-4-5'),
    system: prompt.system,
    prompt: text,
    tools,
    maxOutputTokens: 4096,
    stopWhen: stepCountIs(calls),
  });
  return answer;
}
