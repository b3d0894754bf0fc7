import type { InboxMessage } from '../transcript/message';
import { CliError, messageOf } from './cli-error';
import type { PrintCommand } from './command';
import { readPrompt } from './input/text-input';
import { UnusableInput } from './input/unusable-input';
import { createOutput } from './output/output-format';
import type { OutputStream } from './output/output-stream';
import { failedMessage } from './output/sdk-message';
import type { SessionOutput } from './output/session-output';
import { OneSession, type PrintDeps } from './one-session';
import { PromptStream } from './prompt-stream';

/** What a shell reports for a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Answers the prompts that come in and returns the exit code: 1 if the last result is an error. Never fails. */
export async function print(command: PrintCommand, deps: PrintDeps): Promise<number> {
  for (const warning of command.warnings) await deps.stderr.write(`${warning}\n`);
  const output = createOutput(command.output, deps.stdout, deps.stderr);
  const session = new OneSession(command, deps, output);
  const outputLost = deps.stdout.failed.then((error) => reportLostOutput(error, deps, session));
  try {
    const exitCode = await Promise.race([
      converse(command, deps, session),
      session.failed,
      interrupted(deps, session),
    ]);
    session.hideProgress();
    await output.end(session.conversation?.lastResult ?? null);
    // The answer is out; what goes wrong on the way out does not change it.
    await session.conversation?.leave().catch(reportTo(deps.stderr));
    if (deps.stdout.failure === null) return exitCode;
    await outputLost;
    return exitCode === 0 ? 1 : exitCode;
  } catch (error) {
    session.hideProgress();
    await session.conversation?.detach().catch(() => undefined);
    const sessionId = session.conversation?.sessionId ?? idOf(command);
    return await reportFailure(error, { command, deps, output, sessionId });
  }
}

function idOf({ session }: PrintCommand): string | null {
  return session.type === 'continue' ? null : session.sessionId;
}

function reportLostOutput(
  error: Error,
  { stderr }: PrintDeps,
  { conversation }: OneSession,
): Promise<void> {
  const where =
    conversation === undefined
      ? ''
      : ` Session ${conversation.sessionId} keeps all of it: everloop attach ${conversation.sessionId}`;
  return stderr.write(
    `Standard output cannot be written (${error.message}): nothing more is shown.${where}\n`,
  );
}

function reportTo(stderr: OutputStream): (error: unknown) => Promise<void> {
  return (error) => stderr.write(`${messageOf(error)}\n`);
}

async function converse(
  command: PrintCommand,
  deps: PrintDeps,
  session: OneSession,
): Promise<number> {
  if (command.inputFormat === 'stream-json') {
    const prompts = new PromptStream(command, deps, session);
    await prompts.answerAll();
    if (prompts.isCutShort) return 1;
  } else {
    // The session opens while stdin is read; without an argument there may be no prompt, and so no session.
    if (command.prompt) session.failWith(session.open());
    const content = await readPrompt(command.prompt, deps.stdin);
    const message = toMessage(content, deps);
    await (await session.open()).submit(message);
    await session.conversation?.settled();
  }
  return session.conversation?.lastResult?.is_error ? 1 : 0;
}

function toMessage(content: InboxMessage['content'], deps: PrintDeps): InboxMessage {
  return { id: deps.newId(), content, submittedAt: deps.now(), options: deps.run };
}

/** Ctrl-C stops the running query, whose error result is still printed, and that is no failure. The second ends it all. */
function interrupted(deps: PrintDeps, session: OneSession): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    deps.onInterrupt(() => {
      count += 1;
      const { conversation } = session;
      if (count > 1 || !conversation) {
        resolve(INTERRUPTED);
      } else if (!conversation.isRunning) {
        resolve(0);
      } else {
        conversation.queryEnded().then(() => {
          resolve(0);
        }, reject);
        conversation.interrupt().catch(reject);
      }
    });
  });
}

/** People read stderr; programs read a result without turns. After unusable input there is nothing to be read. */
async function reportFailure(
  error: unknown,
  where: {
    readonly command: PrintCommand;
    readonly deps: PrintDeps;
    readonly output: SessionOutput;
    /** null: it is not known. */
    readonly sessionId: string | null;
  },
): Promise<number> {
  const { command, deps, output, sessionId } = where;
  const text = messageOf(error);
  await deps.stderr.write(`${text}\n`);
  if (command.output.format !== 'text' && !(error instanceof UnusableInput)) {
    const stamp = { uuid: deps.newId(), session_id: sessionId ?? deps.newId() };
    await output.message(failedMessage(text, stamp));
    await output.end(null);
  }
  return error instanceof CliError ? error.exitCode : 1;
}
