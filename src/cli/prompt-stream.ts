import type { PrintCommand } from './command';
import type { RunOptions } from '../transcript/message';
import { isUuid } from './option-values';
import { fromLine, type ClientMessage } from './input/client-message';
import type { Conversation } from './conversation';
import { ControlChannel, toControlResponse } from './input/control';
import { asHookAsker, asServerAsker, HostCalls } from './input/host-calls';
import { McpRequests } from './input/mcp-requests';
import { HostQuestions } from './input/host-questions';
import { readLines } from './input/lines';
import type { OneSession, PrintDeps } from './one-session';

type Prompt = Extract<ClientMessage, { type: 'prompt' }>;
type ControlRequest = Extract<ClientMessage, { type: 'control_request' }>;
type ControlResponse = Extract<ClientMessage, { type: 'control_response' }>;

/** stdin of a client that speaks stream-json: prompts, which wait for each other, and control requests, which do not. */
export class PromptStream {
  readonly #deps: PrintDeps;
  readonly #session: OneSession;
  readonly #control: ControlChannel;
  readonly #questions: HostQuestions;
  readonly #calls: HostCalls;
  /** Prompts enter the session in the order in which they were read. */
  #lastSubmit: Promise<void> = Promise.resolve();
  readonly #answers = new Set<Promise<void>>();

  constructor(command: PrintCommand, deps: PrintDeps, session: OneSession) {
    this.#deps = deps;
    this.#session = session;
    this.#calls = new HostCalls((frame) => deps.stdout.writeLine(frame), deps.newId);
    this.#control = new ControlChannel(deps.run, {
      version: deps.version,
      apiKeySource: deps.apiKeySource,
      mayBypassPermissions: command.mayBypassPermissions,
      isRunning: () => session.conversation?.isRunning ?? false,
      interrupt: () => this.#interrupt(),
      registerHooks: (registration) => {
        deps.hostHooks?.register(registration, asHookAsker(this.#calls));
        return deps.hostHooks !== undefined;
      },
      mcp: new McpRequests(deps.mcpHost ?? null, asServerAsker(this.#calls)),
      modelChanged: (model) => session.failWith(session.tell(`Set model to ${model}`)),
      offers: async (options) => (await deps.offers?.(options)) ?? { commands: [], agents: [] },
      warn: (text) => void deps.stderr.write(`${text}\n`),
    });
    this.#questions = new HostQuestions({
      write: (frame) => deps.stdout.writeLine(frame),
      newId: deps.newId,
      answer: async (waiting, answer) => (await session.open()).answer(waiting, answer),
    });
    session.onEntry = (entry) => session.failWith(this.#questions.see(entry));
    session.onOpen = (conversation) => session.failWith(this.#askAgain(conversation));
  }

  /** Resolves when stdin has ended and all prompts are answered: the end of input is no cancel. */
  async answerAll(): Promise<void> {
    for await (const line of readLines(this.#deps.stdin.stream)) {
      const message = fromLine(line);
      if (message.type === 'ignored') continue;
      // Whoever speaks will want the session: it opens while the client thinks of its prompt.
      this.#session.failWith(this.#session.open());
      if (message.type === 'prompt') this.#submit(message);
      else if (message.type === 'control_request') this.#answer(message);
      else this.#hear(message);
    }
    this.#calls.end();
    this.#session.failWith(this.#questions.end());
    await this.#lastSubmit;
    await Promise.all(this.#answers);
    await this.#session.conversation?.settled();
  }

  #submit({ id, content }: Prompt): void {
    const message = {
      id: id !== undefined && isUuid(id) ? id.toLowerCase() : this.#deps.newId(),
      content,
      submittedAt: this.#deps.now(),
      options: this.#withHostParts(this.#control.options),
    };
    this.#lastSubmit = this.#lastSubmit.then(async () => {
      const conversation = await this.#session.open();
      if (await conversation.submit(message)) return;
      await this.#deps.stderr.write(
        `The message ${message.id} was sent before; it is not repeated.\n`,
      );
    });
    this.#session.failWith(this.#lastSubmit);
  }

  /** Nobody else can ask the hooks and servers of this client. */
  #withHostParts(options: RunOptions): RunOptions {
    const { hostHooks, mcpHost } = this.#deps;
    const hasHooks = (hostHooks?.source?.groups.length ?? 0) > 0;
    const parts = new Set(options.needsHost);
    if (hasHooks) parts.add('hooks');
    if (mcpHost?.hasServers === true) parts.add('MCP servers');
    return parts.size === 0 ? options : { ...options, needsHost: [...parts] };
  }

  #hear({ requestId, response, error }: ControlResponse): void {
    if (this.#calls.answered(requestId, response, error)) return;
    this.#session.failWith(this.#questions.answered(requestId, response, error));
  }

  /** A session that was left waiting asks its new host. */
  async #askAgain(conversation: Conversation): Promise<void> {
    for (const waiting of await conversation.openQuestions()) await this.#questions.ask(waiting);
  }

  #answer(message: ControlRequest): void {
    const answer = this.#answerOne(message);
    this.#answers.add(answer);
    this.#session.failWith(answer.finally(() => this.#answers.delete(answer)));
  }

  async #answerOne({ requestId, subtype, request }: ControlRequest): Promise<void> {
    const modeBefore = this.#control.options.permissionMode;
    const answer = await this.#control.answer(subtype, request);
    await this.#deps.stdout.writeLine(toControlResponse(requestId, answer));
    const { permissionMode } = this.#control.options;
    if (permissionMode !== modeBefore) await this.#reportMode(permissionMode);
  }

  async #reportMode(permissionMode: string): Promise<void> {
    const conversation = await this.#session.open();
    await this.#deps.stdout.writeLine({
      type: 'system',
      subtype: 'status',
      status: null,
      permissionMode,
      uuid: this.#deps.newId(),
      session_id: conversation.sessionId,
    });
  }

  async #interrupt(): Promise<readonly string[]> {
    // A prompt that was sent before the interrupt is what it means, even if it is still on its way.
    await this.#lastSubmit;
    const { conversation } = this.#session;
    await conversation?.interrupt();
    return conversation?.waiting ?? [];
  }
}
