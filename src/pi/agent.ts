import type { AgentEvent } from './agent-event';
import { runAgentLoop, runAgentLoopContinue } from './agent-loop';
import { AgentSettings, type AgentOptions } from './agent-settings';
import { LiveState, type AgentState } from './agent-state';
import type { AgentContext, AgentLoopConfig } from './config';
import { failedReply } from './failed-reply';
import type { AgentMessage, ImageContent } from './message';
import { MessageQueue, type QueueMode } from './message-queue';

type Listener = (event: AgentEvent, signal: AbortSignal) => Promise<void> | void;

interface ActiveRun {
  readonly stop: AbortController;
  readonly isIdle: Promise<void>;
}

/** A conversation with a model, one run at a time. Every listener has heard an event before the next step begins. */
export class Agent extends AgentSettings {
  readonly #state: LiveState;
  readonly #listeners = new Set<Listener>();
  readonly #steering: MessageQueue;
  readonly #followUps: MessageQueue;
  #run: ActiveRun | null = null;

  constructor(options: AgentOptions = {}) {
    super(options);
    this.#state = new LiveState(options.initialState);
    this.#steering = new MessageQueue(options.steeringMode ?? 'one-at-a-time');
    this.#followUps = new MessageQueue(options.followUpMode ?? 'one-at-a-time');
  }

  get state(): AgentState {
    return this.#state;
  }

  /** Of the run that is on; undefined: none is. */
  get signal(): AbortSignal | undefined {
    return this.#run?.stop.signal;
  }

  get steeringMode(): QueueMode {
    return this.#steering.mode;
  }

  set steeringMode(mode: QueueMode) {
    this.#steering.mode = mode;
  }

  get followUpMode(): QueueMode {
    return this.#followUps.mode;
  }

  set followUpMode(mode: QueueMode) {
    this.#followUps.mode = mode;
  }

  /** Returns what ends the subscription. Tells nothing by itself. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Heard when the tools of the current turn are done. */
  steer(message: AgentMessage): void {
    this.#steering.add(message);
  }

  /** Heard when the agent would otherwise end. */
  followUp(message: AgentMessage): void {
    this.#followUps.add(message);
  }

  clearSteeringQueue(): void {
    this.#steering.clear();
  }

  clearFollowUpQueue(): void {
    this.#followUps.clear();
  }

  clearAllQueues(): void {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  }

  hasQueuedMessages(): boolean {
    return !this.#steering.isEmpty || !this.#followUps.isEmpty;
  }

  /** Ends the run early, if there is one: its last reply is then one that was aborted. */
  abort(): void {
    this.#run?.stop.abort();
  }

  /** Resolves when no run is on and every listener has heard the end of the last one. */
  waitForIdle(): Promise<void> {
    return this.#run?.isIdle ?? Promise.resolve();
  }

  /** Forgets the conversation and what is queued.
   *  Fails: plain Error while a run is on. */
  reset(): void {
    if (this.#run !== null) throw new Error('Cannot reset while a run is on. Abort it and wait.');
    this.#state.messages = [];
    this.#state.endRun();
    this.#state.errorMessage = undefined;
    this.clearAllQueues();
  }

  async prompt(message: AgentMessage | AgentMessage[]): Promise<void>;
  async prompt(input: string, images?: ImageContent[]): Promise<void>;
  async prompt(
    input: string | AgentMessage | AgentMessage[],
    images: ImageContent[] = [],
  ): Promise<void> {
    if (this.#run !== null) {
      throw new Error(
        'The agent is busy with a prompt. Queue with steer() or followUp(), or wait.',
      );
    }
    await this.#start(typeof input === 'string' ? [userMessage(input, images)] : [input].flat());
  }

  /** Goes on from the conversation as it stands; if it ends with a reply, with what is queued. */
  async continue(): Promise<void> {
    if (this.#run !== null) throw new Error('The agent is busy. Wait before it is continued.');
    const last = this.#state.messages.at(-1);
    if (last === undefined) throw new Error('Cannot continue: there are no messages.');
    if (last.role !== 'assistant') return this.#goOn();
    const steering = this.#steering.take();
    if (steering.length > 0) return this.#start(steering, { isSteered: true });
    const followUps = this.#followUps.take();
    if (followUps.length > 0) return this.#start(followUps);
    throw new Error('Cannot continue: the last message is a reply, and nothing is queued.');
  }

  /** `isSteered`: the prompts are steering themselves, so the first look at the queue is done. */
  #start(prompts: AgentMessage[], { isSteered = false } = {}): Promise<void> {
    return this.#runToEnd((signal) =>
      runAgentLoop(
        prompts,
        this.#context(),
        this.#config(isSteered),
        this.#tell,
        signal,
        this.streamFn,
      ),
    );
  }

  #goOn(): Promise<void> {
    return this.#runToEnd((signal) =>
      runAgentLoopContinue(this.#context(), this.#config(false), this.#tell, signal, this.streamFn),
    );
  }

  #context(): AgentContext {
    const { systemPrompt, messages, tools } = this.#state;
    return { systemPrompt, messages: [...messages], tools: [...tools] };
  }

  #config(isSteered: boolean): AgentLoopConfig {
    const { model, thinkingLevel } = this.#state;
    let isFirstLook = isSteered;
    return {
      ...this.settings(),
      model,
      ...(thinkingLevel !== 'off' && { reasoning: thinkingLevel }),
      getSteeringMessages: async () => {
        const messages = isFirstLook ? [] : this.#steering.take();
        isFirstLook = false;
        return messages;
      },
      getFollowUpMessages: async () => this.#followUps.take(),
    };
  }

  /** What breaks a run becomes its last reply, told like any other. */
  async #runToEnd(run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const stop = new AbortController();
    let becomeIdle!: () => void;
    const isIdle = new Promise<void>((resolve) => (becomeIdle = resolve));
    this.#run = { stop, isIdle };
    this.#state.beginRun();
    try {
      await run(stop.signal).catch(async (error: unknown) => {
        const { model } = this.#state;
        const message = failedReply(model, error, stop.signal.aborted ? 'aborted' : 'error');
        await this.#tell({ type: 'message_start', message });
        await this.#tell({ type: 'message_end', message });
        await this.#tell({ type: 'turn_end', message, toolResults: [] });
        await this.#tell({ type: 'agent_end', messages: [message] });
      });
    } finally {
      this.#state.endRun();
      this.#run = null;
      becomeIdle();
    }
  }

  readonly #tell = async (event: AgentEvent): Promise<void> => {
    this.#state.after(event);
    const signal = this.signal;
    if (signal === undefined) throw new Error(`A ${event.type} event came after its run.`);
    for (const listener of this.#listeners) await listener(event, signal);
  };
}

function userMessage(text: string, images: readonly ImageContent[]): AgentMessage {
  return { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
}
