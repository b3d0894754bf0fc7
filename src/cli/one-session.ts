import type { HostHooks } from '../hooks/host-hooks';
import type { McpHost } from '../mcp/mcp-host';
import type { RunOptions } from '../transcript/message';
import type { LogEntry } from '../transcript/session-log';
import type { PrintCommand } from './command';
import { Conversation } from './conversation';
import type { SessionOutput } from './output/session-output';
import { ProgressView } from './progress-view';
import type { Offers } from './input/control';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

export interface PrintDeps extends Surroundings {
  readonly openSession: OpenSession;
  /** What a prompt runs with: command line over settings. */
  readonly run: RunOptions;
  /** What the folder and the user have for a client to show; absent: nothing. */
  readonly offers?: (run: RunOptions) => Promise<Offers>;
  /** Takes the hooks that the client registers; absent: it can register none. */
  readonly hostHooks?: HostHooks;
  /** The client wants to be able to take files back; absent: it does not. */
  readonly keepsFiles?: boolean;
  /** MCP servers of the command line, and those that the client registers; absent: there are none. */
  readonly mcpHost?: McpHost;
}

/** The session of this command, opened once and not before it is needed. */
export class OneSession {
  conversation: Conversation | undefined;
  /** Called for each entry that was printed. */
  onEntry: (entry: LogEntry) => void = () => undefined;
  /** Called when an earlier session is open again. */
  onOpen: (conversation: Conversation) => void = () => undefined;
  /** Rejects when the session can no longer be followed. */
  readonly failed: Promise<never>;
  readonly #command: PrintCommand;
  readonly #deps: PrintDeps;
  readonly #output: SessionOutput;
  #progress: ProgressView | undefined;
  #opening: Promise<Conversation> | undefined;
  #takenUp: Promise<void> | undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(command: PrintCommand, deps: PrintDeps, output: SessionOutput) {
    this.#command = command;
    this.#deps = deps;
    this.#output = output;
    this.failed = new Promise((_, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined);
  }

  /** Work that nobody waits for; its failure is the session's. */
  failWith(work: Promise<unknown>): void {
    work.catch(this.#fail);
  }

  /** Tells the client what a request of its own changed. */
  async tell(text: string): Promise<void> {
    await (await this.open()).tell(text);
  }

  /** An earlier session may have work left, so it is waited for; a new one has none. undefined: nothing was opened. */
  async opened(): Promise<Conversation | undefined> {
    if (this.#command.session.type === 'new') return this.conversation;
    const conversation = await this.#opening;
    await this.#takenUp;
    return conversation;
  }

  /** Takes off the screen what shows the work: the answer comes. Safe to repeat. */
  hideProgress(): void {
    this.#progress?.close();
  }

  open(): Promise<Conversation> {
    return (this.#opening ??= this.#open());
  }

  async #open(): Promise<Conversation> {
    const { session, persistent, output } = this.#command;
    const connection = await this.#deps.openSession({
      choice: session,
      serve: 'foreground',
      isOneShot: this.#command.inputFormat === 'text',
      persistent,
      cwd: this.#deps.cwd,
    });
    const openLine = output.format === 'text' ? this.#deps.openStatusLine : undefined;
    this.#progress = openLine && new ProgressView({ openLine, connection });
    const isStream = output.format === 'stream-json';
    this.conversation = new Conversation(connection, this.#output, {
      version: this.#deps.version,
      replayPrompts: output.replayPrompts,
      includePartials: output.includePartials && isStream,
      includeHooks: output.includeHooks && isStream,
      opens: session.type === 'new' ? 'startup' : 'resume',
      reportsState: this.#deps.clientReadsState && isStream,
      newId: this.#deps.newId,
    });
    this.failWith(
      this.conversation.follow((entry, at) => {
        this.#progress?.see(entry, at);
        this.onEntry(entry);
      }),
    );
    if (session.type !== 'new') {
      this.#takenUp = this.conversation.takeUp();
      this.failWith(this.#takenUp);
      this.onOpen(this.conversation);
    }
    return this.conversation;
  }
}
