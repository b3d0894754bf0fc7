import type * as Sdk from '@anthropic-ai/claude-agent-sdk' with { 'resolution-mode': 'import' };
import { z } from 'zod';
import type { Answer, FromTest, ToTest, WireOptions, WireServers } from './wire';

type SdkModule = typeof Sdk;
type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A program that uses the official Agent SDK, unmodified, in a process of its own, to be killed. What a test gives
 *  it as a callback is asked over the IPC channel. */
class ClientProcess {
  readonly #sdk: SdkModule;
  readonly #queries = new Map<string, { readonly query: Sdk.Query; readonly prompts: Prompts }>();
  readonly #asked = new Map<string, (answer: Answer) => void>();

  constructor(sdk: SdkModule) {
    this.#sdk = sdk;
  }

  hear(said: FromTest): void {
    switch (said.type) {
      case 'query':
        this.#start(said);
        return;
      case 'send':
        this.#queries.get(said.of)?.prompts.push(said.message);
        return;
      case 'end':
        this.#queries.get(said.of)?.prompts.end();
        return;
      case 'call':
        void this.#answer(said.id, () => this.#call(said));
        return;
      case 'read': {
        const readers = this.#sdk as unknown as Readonly<Record<string, Method>>;
        void this.#answer(said.id, async () => readers[said.reader]?.(...said.args));
        return;
      }
      case 'answer':
        this.#asked.get(said.id)?.(said);
        this.#asked.delete(said.id);
    }
  }

  #start({ id, prompt, options }: Extract<FromTest, { type: 'query' }>): void {
    const prompts = new Prompts();
    const query = this.#sdk.query({
      prompt: prompt ?? (prompts as AsyncIterable<Sdk.SDKUserMessage>),
      options: this.#toOptions(id, options),
    });
    this.#queries.set(id, { query, prompts });
    void this.#follow(id, query);
  }

  async #follow(of: string, query: Sdk.Query): Promise<void> {
    try {
      for await (const message of query) tell({ type: 'message', of, message });
      tell({ type: 'ended', of });
    } catch (error) {
      tell({ type: 'ended', of, error: textOf(error) });
    }
  }

  async #call({ of, method, args }: Extract<FromTest, { type: 'call' }>): Promise<unknown> {
    const query = this.#queries.get(of)?.query as unknown as Readonly<Record<string, Method>>;
    // In-process servers are no JSON.
    const given = method === 'setMcpServers' ? [this.#toServers(args[0] as WireServers)] : args;
    return query[method]?.(...given);
  }

  async #answer(id: string, act: () => Promise<unknown>): Promise<void> {
    try {
      tell({ type: 'answer', id, value: await act() });
    } catch (error) {
      tell({ type: 'answer', id, error: textOf(error) });
    }
  }

  #ask(callback: string, args: readonly unknown[]): Promise<unknown> {
    const id = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      this.#asked.set(id, ({ value, error }) => {
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      });
      tell({ type: 'ask', id, callback, args });
    });
  }

  #toOptions(of: string, { plain, canUseTool, hooks, servers }: WireOptions): Sdk.Options {
    const matchers = Object.entries(hooks).map(([event, callback]) => [
      event,
      [
        {
          hooks: [(input: unknown, toolUseId: unknown) => this.#ask(callback, [input, toolUseId])],
        },
      ],
    ]);
    return {
      ...plain,
      stderr: (text) => tell({ type: 'stderr', of, text }),
      ...(canUseTool !== undefined && {
        canUseTool: (...[name, input, { toolUseID, suggestions }]: Parameters<Sdk.CanUseTool>) =>
          this.#ask(canUseTool, [name, input, { toolUseID, suggestions }]),
      }),
      ...(matchers.length > 0 && { hooks: Object.fromEntries(matchers) as object }),
      ...(Object.keys(servers).length > 0 && { mcpServers: this.#toServers(servers) }),
    } as Sdk.Options;
  }

  #toServers(servers: WireServers): Record<string, Sdk.McpServerConfig> {
    const { createSdkMcpServer, tool } = this.#sdk;
    return Object.fromEntries(
      Object.entries(servers).map(([name, tools]) => {
        const definitions = Object.entries(tools).map(([toolName, { args, callback }]) => {
          const shape = Object.fromEntries(args.map((arg) => [arg, z.number()]));
          return tool(toolName, `The tool ${toolName}.`, shape, async (input) => ({
            content: [{ type: 'text', text: String(await this.#ask(callback, [input])) }],
          }));
        });
        return [name, createSdkMcpServer({ name, tools: definitions })];
      }),
    );
  }
}

/** Prompts that a test sends one by one. */
class Prompts implements AsyncIterable<object> {
  readonly #waiting: object[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  push(message: object): void {
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function tell(said: ToTest): void {
  process.send?.(said);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function main(): Promise<void> {
  const client = new ClientProcess(await import('@anthropic-ai/claude-agent-sdk'));
  process.on('message', (said) => client.hear(said as FromTest));
  // A test that is gone needs no client.
  process.on('disconnect', () => process.exit(0));
  tell({ type: 'up' });
}

void main();
