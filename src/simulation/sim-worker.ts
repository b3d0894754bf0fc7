import { z } from 'zod';
import type { ActivityDeps, Surroundings } from '../activities/deps';
import { createServedSessions } from '../activities/served-sessions';
import { createHookSet } from '../hooks/hook-set';
import { createBashTool } from '../tools/bash';
import { createSkillTool } from '../tools/skill';
import { defineTool, type Tool } from '../tools/tool';
import { writeTool } from '../tools/write';
import type { Scheduler, SimProcess } from './scheduler';
import { simulatedModel } from './sim-model';
import { openStore } from './sim-store';

/** A Worker process: what the product composes in `worker.ts`, without Temporal. */
export interface SimWorker {
  readonly process: SimProcess;
  /** null: it has not started yet. */
  deps: ActivityDeps | null;
  /** true: it was told to leave, and takes nothing more. */
  isLeaving: boolean;
  /** Under way. */
  attempts: number;
}

/** Everything of the product that a simulated process is made of; run it as that process. */
export function composeDeps(of: {
  readonly process: SimProcess;
  readonly scheduler: Scheduler;
  readonly tools: readonly Tool[];
  readonly isAlive: (workerId: string) => boolean;
}): ActivityDeps {
  const { process, scheduler, tools, isAlive } = of;
  const owner = { workerId: process.name, host: 'localhost', socket: '' };
  return {
    sessions: createServedSessions({
      store: openStore(),
      owner,
      isAlive: ({ workerId }) => scheduler.step('asks who lives', () => isAlive(workerId)),
    }),
    anthropic: simulatedModel(scheduler, () => []),
    apiKeySource: 'none',
    tools,
    surroundings: NOTHING_AROUND,
    context: { percentOverride: null, autoCompactWindow: null },
    maxRetries: 10,
    maxOutputTokens: 1_000,
    isOutputChosen: false,
    version: '0',
    now: () => new Date(),
    random: () => 0.5,
  };
}

const NO_SKILLS = createSkillTool(async () => []);

const NOTHING_AROUND: Surroundings = {
  permissionRules: async () => [],
  hooks: async () => ({ set: createHookSet([]), env: {} }),
  mcpServers: async () => ({ servers: [], problems: [], env: {} }),
  subAgents: async () => [],
  turnAttachments: async () => [],
  conversationStart: async () => ({ system: ['Simulated.'], userContext: null }),
  reattachFiles: async () => [],
  expandPrompt: async (text) => ({ type: 'prompt', text, attachments: [] }),
  skillTool: () => NO_SKILLS,
  inventory: async () => ({ commands: [], agents: [], skills: [], plugins: [] }),
};

/** One tool of each kind: `Note` cannot be repeated, `Look` can and may overlap, `Bash` is re-attached to, and
 *  `Write` knows by itself whether it was done. */
export function simulatedTools(scheduler: Scheduler, onEffect: (call: string) => void): Tool[] {
  const CallInput = z.strictObject({ call: z.string() });
  const tool = (name: string, effect: 'unknown' | 'rerun', act: (call: string) => void) =>
    defineTool<z.infer<typeof CallInput>>({
      name,
      description: name,
      inputSchema: CallInput,
      effect,
      isReadOnly: () => effect === 'rerun',
      isConcurrencySafe: () => effect === 'rerun',
      summarize: ({ call }) => call,
      call: async ({ call }) => {
        await scheduler.step(`${name} acts`, () => act(call));
        return { content: 'done', structured: null };
      },
    });
  return [
    tool('Note', 'unknown', onEffect),
    tool('Look', 'rerun', () => undefined),
    createBashTool({ environment: {} }),
    writeTool,
  ] as Tool[];
}
