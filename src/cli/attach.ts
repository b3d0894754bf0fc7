import { CliError } from './cli-error';
import type { Command } from './command';
import { Conversation } from './conversation';
import { createOutput } from './output/output-format';
import { ProgressView } from './progress-view';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

type AttachCommand = Extract<Command, { type: 'attach' }>;

export interface AttachDeps extends Surroundings {
  readonly openSession: OpenSession;
}

/** Between two queries a session looks idle for a moment; one that stays so has nothing to do. */
const IDLE_MS = 1_000;

/** Prints a session from its beginning until it has nothing to do, or until Ctrl-C, which leaves it alone. A person
 *  who waits for its answer sees meanwhile what it does. Returns the exit code. Fails: when the session is unknown. */
export async function attach(
  { sessionId, output: options }: AttachCommand,
  deps: AttachDeps,
  idleMs: number = IDLE_MS,
): Promise<number> {
  const output = createOutput(options, deps.stdout, deps.stderr);
  const connection = await deps.openSession({
    choice: { type: 'attach', sessionId },
    serve: 'background',
    persistent: true,
    cwd: deps.cwd,
  });
  const isStream = options.format === 'stream-json';
  const conversation = new Conversation(connection, output, {
    version: deps.version,
    replayPrompts: options.replayPrompts,
    includePartials: options.includePartials && isStream,
    includeHooks: options.includeHooks && isStream,
    opens: null,
    reportsState: false,
    newId: deps.newId,
  });

  const openLine = options.format === 'text' ? deps.openStatusLine : undefined;
  const progress = openLine && new ProgressView({ openLine, connection });
  try {
    await followUntilIdle(conversation, idleMs, { ...deps, progress });
  } finally {
    progress?.close();
  }
  await conversation.detach();
  await output.end(conversation.lastResult);
  const { failure } = deps.stdout;
  if (failure !== null) {
    throw new CliError(`Standard output cannot be written: ${failure.message}.`);
  }
  return conversation.lastResult?.is_error ? 1 : 0;
}

const FIRST_ENTRY_PATIENCE = 5;

async function followUntilIdle(
  conversation: Conversation,
  idleMs: number,
  {
    onInterrupt,
    stdout,
    progress,
  }: Pick<Surroundings, 'onInterrupt' | 'stdout'> & { readonly progress: ProgressView | undefined },
): Promise<void> {
  const running = new Set<string>();
  let leave: () => void = () => undefined;
  const idle = new Promise<void>((resolve) => (leave = resolve));
  onInterrupt(() => {
    leave();
  });
  // Nobody looks any more.
  void stdout.failed.then(leave);
  // Reading what is there may take a moment: nothing yet does not mean that nothing runs.
  let timer = setTimeout(leave, FIRST_ENTRY_PATIENCE * idleMs);
  const following = conversation.follow((entry, at) => {
    progress?.see(entry, at);
    if (entry.type === 'query_started') running.add(entry.queryId);
    if (entry.type === 'query_ended') running.delete(entry.queryId);
    clearTimeout(timer);
    if (running.size === 0) timer = setTimeout(leave, idleMs);
  });
  await Promise.race([idle, following]).finally(() => clearTimeout(timer));
}
