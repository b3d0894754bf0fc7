import { startName } from '../../activities/call-model/session-prompt';
import type { ConversationStart } from '../../activities/deps';
import type { InProcessOptions } from '../../in-process';
import { compareCalls } from '../../replay/compare-calls';
import { factsOf, promptsIn, type ConversationFacts } from '../../replay/recorded-session';
import { recordedTools } from '../../replay/recorded-tools';
import { replaySession } from '../../replay/replay-session';
import { builtInTools } from '../../tools/built-in-tools';
import { isPrompt } from '../../transcript/prompt-record';
import type { TranscriptRecord } from '../../transcript/record';
import { currentLeaf } from '../../transcript/rewound';
import type { SessionStore } from '../../transcript/store';
import { wholeChain } from '../../transcript/whole-chain';
import { CliError } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import type { ReplayCommand } from './replay-command';
import { toReport, toReportJson } from './replay-report';

export interface ReplayDeps {
  readonly session: SessionStore;
  readonly stdout: OutputStream;
  readonly callApi: InProcessOptions['callApi'];
}

/** Runs a recorded session once more, in memory and without tools, and prints what became different. Returns the exit
 *  code. Fails: CliError when nothing was recorded. */
export async function replay(command: ReplayCommand, deps: ReplayDeps): Promise<number> {
  const { session, stdout, callApi } = deps;
  const { sessionId } = session.meta;
  const leaf = await currentLeaf(session);
  const chain = leaf === null ? [] : await wholeChain(session, leaf);
  const recorded = factsOf(chain);
  const prompts = command.prompt === null ? promptsIn(chain) : [command.prompt];
  const model = command.model ?? recorded.model;
  if (model === null || prompts.length === 0) {
    throw new CliError(`Session ${sessionId} has no reply that could be compared with another.`);
  }
  const start = await startOf(session, chain, command.systemPrompt);
  const replayed = await replaySession({
    callApi,
    model,
    tools: recordedTools(
      await toolNames(session, recorded),
      recorded.calls,
      builtInTools({ environment: {} }),
    ),
    system: start.system,
    prompts: withContext(prompts, start.userContext),
    maxTurns: command.maxTurns ?? 2 * recorded.turns + 10,
  });
  const comparison = {
    sessionId,
    recorded,
    replayed: { ...replayed, model: replayed.model ?? model },
    calls: compareCalls(recorded.calls, replayed.calls),
  };
  await stdout.write(command.json ? `${toReportJson(comparison)}\n` : toReport(comparison));
  return replayed.ended === 'completed' ? 0 : 1;
}

/** What the recorded conversation began with: its system prompt, unless another is given, and memory files. */
async function startOf(
  session: SessionStore,
  chain: readonly TranscriptRecord[],
  systemPrompt: string | null,
): Promise<ConversationStart> {
  const prompt = chain.find(isPrompt);
  const message = prompt && (await session.findMessage(prompt.uuid));
  const stored =
    message &&
    ((await session.readDocument(startName(message.options))) as ConversationStart | undefined);
  const { system = [], userContext = null } = stored ?? {};
  return { system: systemPrompt === null ? system : [systemPrompt], userContext };
}

function withContext(
  prompts: readonly InProcessOptions['prompt'][],
  userContext: string | null,
): readonly InProcessOptions['prompt'][] {
  const [first = '', ...rest] = prompts;
  if (userContext === null) return prompts;
  const blocks = typeof first === 'string' ? [{ type: 'text', text: first } as const] : first;
  return [[{ type: 'text', text: userContext }, ...blocks], ...rest];
}

/** The tools that the model was told of, and those that it called. */
async function toolNames(
  session: SessionStore,
  { calls }: ConversationFacts,
): Promise<readonly string[]> {
  let offered: readonly string[] = [];
  for await (const { entry } of session.log.read()) {
    if (entry.type === 'query_started') offered = entry.init.tools;
  }
  return [...new Set([...offered, ...calls.map(({ name }) => name)])];
}
