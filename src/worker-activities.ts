import { createActivities } from './activities';
import { createAnthropic } from './activities/call-model/anthropic-client';
import type { Activities } from './activities/interface';
import type { ServedSessions } from './activities/served-sessions';
import { createSurroundings } from './activity-surroundings';
import type { RunNotes } from './recovery/run-notes';
import { toApiTool } from './activities/tool-catalog';
import { builtInTools } from './tools/built-in-tools';
import type { Tool } from './tools/tool';
import type { WorkerOptions } from './worker';

/** spec/loop 4.12. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** The Activities of one Worker with everything they need. In a module of its own because it loads what takes
 *  longest (model client, schemas, tools): the Worker's Workflow thread starts meanwhile. */
export function composeActivities(
  { config, client, settings, environment, version, agents = [] }: WorkerOptions,
  { sessions, notes }: { readonly sessions: ServedSessions; readonly notes: RunNotes },
): Activities {
  const tools = builtInTools({ environment });
  warmUp([...tools, ...agents.flatMap((agent) => agent.tools ?? [])]);
  return createActivities(
    {
      sessions,
      anthropic: createAnthropic(config),
      apiKeySource: config.apiKey === null ? 'none' : 'ANTHROPIC_API_KEY',
      tools,
      agents,
      surroundings: createSurroundings(config, settings, environment),
      context: {
        percentOverride: config.compactPercent,
        autoCompactWindow: config.compactWindow,
      },
      maxRetries: config.maxRetries,
      maxOutputTokens: config.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
      isOutputChosen: config.maxOutputTokens !== null,
      version,
      now: () => new Date(),
      random: Math.random,
    },
    { client, notes },
  );
}

/** What the first request would else wait for: Node loads its HTTP client when it is first touched, and schemas
 *  are turned into JSON once. */
function warmUp(tools: readonly Tool[]): void {
  new Request('http://127.0.0.1');
  tools.forEach(toApiTool);
}
