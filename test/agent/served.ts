import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { createWorker, type AgentWorker } from '../../src/agent/create-worker';
import { defineAgent, type Agent } from '../../src/agent/define-agent';
import type { AgentHooks } from '../../src/agent/agent-hooks';
import { defineTool, type ToolResult } from '../../src/tools/tool';
import { withDurable, type Durable, type DurableOptions } from '../support/durable';
import { workflowBundle } from '../support/workflow-bundle';

/** A session whose Worker was made by `createWorker`. */
export async function withAgents(
  { agents, ...options }: DurableOptions & { readonly agents: readonly Agent[] },
  act: (durable: Durable, worker: AgentWorker) => Promise<void>,
): Promise<void> {
  await withDurable({ ...options, isServed: false }, async (durable) => {
    const connection = await NativeConnection.connect({ address: durable.address });
    const worker = await createWorker({
      agents,
      taskQueue: durable.session.meta.taskQueue,
      environment: environmentOf(durable),
      temporal: { connection, client: durable.client },
      workflowBundle: { codePath: await workflowBundle() },
    });
    try {
      await act(durable, worker);
    } finally {
      await worker.stop();
      await connection.close();
    }
  });
}

/** Of a process that serves the session. */
export const environmentOf = ({ config, home, model }: Durable) => ({
  PATH: process.env['PATH'],
  HOME: config.userHome,
  EVERLOOP_HOME: home,
  CLAUDE_CONFIG_DIR: config.configDir,
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: 'test-key',
});

export const agentWith = (hooks: AgentHooks, ...tools: Agent['tools'] & object): Agent =>
  defineAgent({ name: 'mine', tools: [...tools], hooks });

export const MINE = { options: { agent: 'mine' } };

/** Notes what it was called with, and gives it back. */
export function noteTool(more: Partial<ToolResult> = {}) {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: 'Note',
    description: 'Notes a text.',
    inputSchema: z.strictObject({ text: z.string() }),
    summarize: ({ text }) => text,
    call: async (input) => {
      seen.push(input);
      return { content: `noted ${input.text}`, structured: null, ...more };
    },
  });
  return { tool, seen };
}
