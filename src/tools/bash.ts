import { z } from 'zod';
import { clearGhosts } from '../sandbox/ghost-folders';
import { sandboxNote } from '../sandbox/sandbox-note';
import { confinementOf, type Confinement, type Sandbox } from '../sandbox/sandbox';
import { withoutSecrets } from '../sandbox/secret-places';
import { startShell } from './shell/background-shell';
import { waitForEnding } from './shell/command-ending';
import { readTail } from './shell/command-output';
import { toToolResult } from './shell/command-result';
import { isReadOnlyCommand } from './shell/read-only-command';
import { requireStartFolder } from './shell/shell-folder';
import { obtainCommand } from './shell/started-command';
import type { CommandStart, StartedCommand } from './shell/started-command';
import { defineTool, ToolError } from './tool';
import type { Tool, ToolContext, ToolResult } from './tool';

const TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const PROGRESS_CHARS = 500;

/** Keys of the Worker, not of the commands that a model runs. */
const SECRETS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];

const BashInput = z.strictObject({
  command: z.string().min(1).describe('What Bash runs'),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(LONGEST_TIMEOUT_MS)
    .optional()
    .describe(`Milliseconds (default ${TIMEOUT_MS}, at most ${LONGEST_TIMEOUT_MS})`),
  description: z.string().optional().describe('What the command does, in a few words'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Return at once and let the command run on, without a timeout'),
  dangerouslyDisableSandbox: z
    .boolean()
    .optional()
    .describe(
      'Run outside of the sandbox, if there is one. Only when the command cannot work inside; it needs a permission then',
    ),
});
type BashInput = z.infer<typeof BashInput>;

export interface BashDeps {
  /** What commands inherit, apart from the Worker's own keys and settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Commands outlive the Worker: a later attempt waits for the same process (`shell/started-command.ts`). */
export function createBashTool(deps: BashDeps): Tool<BashInput> {
  const environment = commandEnvironment(deps.environment);
  return defineTool<BashInput>({
    name: 'Bash',
    description: `Runs a command in Bash and shows its output, stdout and stderr together.
- The working folder moves with cd when the command succeeds; variables, functions and options do not last.
- No input can be typed: stdin is empty. Programs that ask or page need their options for that.
- To look at files use Read, Grep and Glob; to change them use Edit and Write.
- After the timeout the command and everything it started are ended.
- With run_in_background the command goes on beside the conversation as a background shell: look at its output with BashOutput, end it with KillShell. You are told when it ends. No & is needed.`,
    inputSchema: BashInput,
    effect: 'reattach',
    isReadOnly: isReader,
    isConcurrencySafe: isReader,
    summarize: (input) => input.command.trim().split('\n')[0] ?? '',
    validateInput(input, context) {
      if (input.command.includes('\0')) {
        return Promise.resolve('The command holds a NUL character. Leave it out.');
      }
      const confinement = confinementFor(input, context);
      return Promise.resolve(confinement.type === 'refused' ? confinement.message : null);
    },
    call: (input, context) => run(input, context, environment),
  });
}

function isReader(input: BashInput): boolean {
  return input.run_in_background !== true && isReadOnlyCommand(input.command);
}

function commandEnvironment(environment: BashDeps['environment']): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !SECRETS.includes(entry[0]) && !entry[0].startsWith('EVERLOOP_'),
  );
  return Object.fromEntries(kept);
}

async function run(
  input: BashInput,
  context: ToolContext,
  environment: Record<string, string>,
): Promise<ToolResult> {
  if (input.run_in_background === true) return runInBackground(input, context, environment);
  const startFolder = await requireStartFolder(context);
  const sandbox = sandboxFor(input, context);
  const command = await obtainCommand({
    command: input.command,
    workingDirectory: startFolder,
    callFolder: context.callFolder,
    signal: AbortSignal.any([context.signal, context.workerGone]),
    ...confined(sandbox, environment),
  });
  const timeoutMs = input.timeout ?? TIMEOUT_MS;
  const ending = await waitForEnding(command, {
    signal: context.signal,
    workerGone: context.workerGone,
    timeoutMs,
    onLook: tailReporter(command, context),
  });
  command.letGo();
  // Nobody waits for it; whoever releases the session looks once more.
  if (sandbox !== undefined) void clearGhosts(sandbox.places.home);
  try {
    return await toToolResult({ files: command.files, ending, timeoutMs, startFolder }, context);
  } catch (error) {
    const note = sandbox && error instanceof ToolError && sandboxNote(sandbox, error.message);
    throw note ? new ToolError(`${error.message}\n${note}`) : error;
  }
}

/** In the folder in which the shell stands; a cd of its own moves nothing. */
async function runInBackground(
  input: BashInput,
  context: ToolContext,
  environment: Record<string, string>,
): Promise<ToolResult> {
  const { shellsFolder, callFolder, signal, workerGone } = context;
  if (shellsFolder === null) {
    throw new ToolError('Background shells are not kept here. Run the command in the foreground.');
  }
  const { id, command } = await startShell(shellsFolder, {
    command: input.command,
    workingDirectory: await requireStartFolder(context),
    callFolder,
    signal: AbortSignal.any([signal, workerGone]),
    ...confined(sandboxFor(input, context), environment),
  });
  return {
    content: `The command runs as background shell ${id}. Its output goes to ${command.files.output}`,
    structured: {
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      backgroundTaskId: id,
    },
  };
}

/** Whether a call runs in the sandbox, if there is one. Shared with whoever decides on its permission. */
export function confinementFor(
  input: unknown,
  { sandbox = { type: 'off' } }: Pick<ToolContext, 'sandbox'>,
): Confinement {
  const parsed = BashInput.safeParse(input);
  if (!parsed.success) return { type: 'free', isAsked: false };
  const { command, dangerouslyDisableSandbox: wantsOut = false } = parsed.data;
  return confinementOf(sandbox, { command, wantsOut });
}

/** undefined: the command has the rights of the Worker. Fails: ToolError when it may not run at all. */
function sandboxFor(input: BashInput, context: ToolContext): Sandbox | undefined {
  const confinement = confinementFor(input, context);
  if (confinement.type === 'refused') throw new ToolError(confinement.message);
  return confinement.type === 'confined' ? confinement.sandbox : undefined;
}

function confined(
  sandbox: Sandbox | undefined,
  environment: Record<string, string>,
): Pick<CommandStart, 'environment' | 'sandbox'> {
  if (sandbox === undefined) return { environment };
  return { environment: withoutSecrets(environment), sandbox };
}

function tailReporter(command: StartedCommand, context: ToolContext): () => Promise<void> {
  let lastBytes = 0;
  return async () => {
    const tail = await readTail(command.files.output, PROGRESS_CHARS);
    if (tail.bytes !== lastBytes) context.onProgress(tail);
    lastBytes = tail.bytes;
  };
}
