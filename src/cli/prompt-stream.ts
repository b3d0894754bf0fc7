import type { PrintCommand } from './command';
import type { RunOptions } from '../transcript/message';
import { isUuid } from './option-values';
import { CliError } from './cli-error';
import type { ClientMessage } from './input/client-message';
import type { Conversation } from './conversation';
import { ControlChannel, toControlResponse } from './input/control';
import { asHookAsker, asServerAsker, HostCalls } from './input/host-calls';
import { McpRequests } from './input/mcp-requests';
import { HostPipe } from './input/host-pipe';
import { HostQuestions } from './input/host-questions';
import { SessionRequests } from './input/session-requests';
import type { JsonObject } from './input/json-object';
import { shownText, UnusableInput } from './input/unusable-input';
import type { OneSession, PrintDeps } from './one-session';
import type { Adjustment } from '../workflows/interface';

type Prompt = Extract<ClientMessage, { type: 'prompt' }>;
type ControlRequest = Extract<ClientMessage, { type: 'control_request' }>;
type ControlResponse = Extract<ClientMessage, { type: 'control_response' }>;

/** A client that sends so much without waiting is not read until something of it is done. */
const MOST_UNDER_WAY = 100;

/** stdin of a client that speaks stream-json: prompts, which wait for each other, and control requests, which do not. */
export class PromptStream {
  readonly #deps: PrintDeps;
  readonly #session: OneSession;
  readonly #control: ControlChannel;
  readonly #questions: HostQuestions;
  readonly #calls: HostCalls;
  readonly #host: HostPipe;
  #isCutShort = false;
  /** Prompts enter the session in the order in which they were read. */
  #lastSubmit: Promise<void> = Promise.resolve();
  #submitting = 0;
  readonly #answers = new Set<Promise<void>>();

  constructor(command: PrintCommand, deps: PrintDeps, session: OneSession) {
    this.#deps = deps;
    this.#session = session;
    this.#host = new HostPipe(deps);
    const write = (frame: JsonObject): Promise<void> => this.#tellHost(frame);
    this.#calls = new HostCalls(write, deps.newId);
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
      session: new SessionRequests({
        keepsFiles: deps.keepsFiles === true,
        open: async () => {
          await this.#lastSubmit;
          return session.open();
        },
      }),
      openQuestions: () => this.#questions.open,
      modelChanged: (model) => {
        session.failWith(session.tell(`Set model to ${model}`));
        session.failWith(this.#change({ model }));
      },
      offers: async (options) => (await deps.offers?.(options)) ?? { commands: [], agents: [] },
      warn: (text) => void deps.stderr.write(`${text}\n`),
    });
    this.#questions = new HostQuestions({
      write,
      newId: deps.newId,
      answer: async (waiting, answer) => (await session.open()).answer(waiting, answer),
    });
    session.onEntry = (entry) => session.failWith(this.#questions.see(entry));
    session.onOpen = (conversation) => session.failWith(this.#askAgain(conversation));
  }

  /** The input ended in the middle of a line. */
  get isCutShort(): boolean {
    return this.#isCutShort;
  }

  /** Resolves when stdin has ended and all prompts are answered: the end of input is no cancel.
   *  Fails: CliError when the client's line cannot be used, or when it has gone and the session cannot do without
   *  it. What came before is then in the session's keeping. */
  async answerAll(): Promise<void> {
    try {
      await this.#hearAll();
      await this.#requireHost();
    } catch (error) {
      await this.#lastSubmit;
      throw error instanceof UnusableInput ? this.#withWayBack(error) : error;
    }
    this.#calls.end();
    this.#session.failWith(this.#questions.end());
    await this.#lastSubmit;
    await Promise.all(this.#answers);
    await (await this.#session.opened())?.settled();
  }

  async #hearAll(): Promise<void> {
    for await (const message of this.#host.messages()) {
      if (message.type === 'ignored') continue;
      if (message.type === 'half_line') {
        await this.#refuseHalfLine(message.text);
        continue;
      }
      // Whoever speaks will want the session: it opens while the client thinks of its prompt.
      this.#session.failWith(this.#session.open());
      if (message.type === 'prompt') this.#submit(message);
      else if (message.type === 'control_request') this.#answer(message);
      else this.#hear(message);
      if (this.#submitting > MOST_UNDER_WAY) await this.#lastSubmit;
      if (this.#answers.size > MOST_UNDER_WAY) await Promise.race(this.#answers);
    }
  }

  async #refuseHalfLine(text: string): Promise<void> {
    this.#isCutShort = true;
    await this.#deps.stderr.write(
      `The input ended in the middle of a line, which is left out; send it again, with a line end. Seen: ${shownText(text)}\n`,
    );
  }

  #withWayBack(error: UnusableInput): UnusableInput {
    const { conversation } = this.#session;
    if (conversation?.isRunning !== true) return error;
    const { sessionId } = conversation;
    return new UnusableInput(
      `${error.message}\nWhat came before is in session ${sessionId}. Go on with it: everloop --resume ${sessionId}`,
    );
  }

  /** A question to the client. One that cannot hear it any more may come back: the session waits for it. */
  async #tellHost(frame: JsonObject): Promise<void> {
    await this.#deps.stdout.writeLine(frame);
    if (this.#deps.stdout.failure === null || frame['type'] !== 'control_request') return;
    await this.#lastSubmit;
    this.#session.failWith(Promise.reject(this.#hostLost()));
  }

  /** At the end of stdin: a client that died is not one that has no more to say. */
  async #requireHost(): Promise<void> {
    const { hostHooks, mcpHost } = this.#deps;
    const isRunning = this.#submitting > 0 || this.#session.conversation?.isRunning === true;
    const isNeeded =
      this.#questions.isWaiting ||
      (hostHooks?.source?.groups.length ?? 0) > 0 ||
      (mcpHost?.hosted.length ?? 0) > 0;
    if (isRunning && isNeeded && !(await this.#host.isHeard())) throw this.#hostLost();
  }

  #hostLost(): CliError {
    const sessionId = this.#session.conversation?.sessionId ?? '';
    return new CliError(
      `The program that started everloop has gone, and session ${sessionId} cannot go on without its answers. The session waits for them: everloop --resume ${sessionId}`,
    );
  }

  #submit({ id, content }: Prompt): void {
    const message = {
      id: id !== undefined && isUuid(id) ? id.toLowerCase() : this.#deps.newId(),
      content,
      submittedAt: this.#deps.now(),
      options: this.#withHostParts(this.#control.options),
    };
    this.#submitting += 1;
    this.#lastSubmit = this.#lastSubmit.then(async () => {
      const conversation = await this.#session.open();
      const isNew = await conversation.submit(message);
      this.#submitting -= 1;
      if (isNew) return;
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
    if (permissionMode === modeBefore) return;
    await this.#reportMode(permissionMode);
    await this.#change({ permissionMode });
  }

  /** The query that runs hears of it as well. */
  async #change(adjustment: Adjustment): Promise<void> {
    await this.#lastSubmit;
    await this.#session.conversation?.change(adjustment);
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
