import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolResultSchema,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListRootsRequestSchema,
  ListToolsResultSchema,
  PromptListChangedNotificationSchema,
  ReadResourceResultSchema,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type GetPromptResult,
  type ListResourcesResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { CatalogServer, PromptDefinition, ToolDefinition } from './catalog';
import { isGone, isOldServer, toCallFailure, toConnectionFailure } from './failures';
import { transportsFor, type TransportPlace } from './open-transport';
import { ServerProcess } from './server-process';
import type { ServerConfig } from './server-config';

export interface ConnectOptions extends TransportPlace {
  readonly name: string;
  readonly config: ServerConfig;
  readonly version: string;
  /** Of connecting, and of each listing. */
  readonly timeoutMs: number;
  /** Gives up connecting. */
  readonly signal: AbortSignal;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (text: string) => void;
}

/** What a server offers. */
export type Offer = Pick<CatalogServer, 'tools' | 'prompts' | 'hasResources'>;

const LONGEST_DESCRIPTION_CHARS = 2_048;
/** A server that never stops turning pages is cut off. */
const MOST_PAGES = 100;
/** While a call runs at a distance, whether its server still answers is asked this often. */
const LOOK_AFTER_MS = 5_000;

/** A server that was reached and has introduced itself. */
export class ServerConnection {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #options: ConnectOptions;
  #offer: Offer | null = null;
  #listed: readonly ToolDefinition[] = [];
  #isOpen = true;

  private constructor(client: Client, transport: Transport, options: ConnectOptions) {
    this.#client = client;
    this.#transport = transport;
    this.#options = options;
    client.onclose = () => (this.#isOpen = false);
    // Of the transport: what matters shows in a request.
    client.onerror = () => undefined;
    const changed = (): void => void (this.#offer = null);
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    client.setNotificationHandler(PromptListChangedNotificationSchema, changed);
  }

  /** Fails: ConnectionFailure that says what to do. */
  static async open(options: ConnectOptions): Promise<ServerConnection> {
    const { name, config, timeoutMs, version, cwd, signal } = options;
    let failure: unknown;
    for (const openTransport of transportsFor(name, config, options)) {
      const transport = openTransport();
      const client = new Client({ name: 'everloop', version }, { capabilities: { roots: {} } });
      client.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: [{ uri: pathToFileURL(cwd).href, name: 'workspace' }],
      }));
      try {
        await client.connect(transport, { timeout: timeoutMs, signal });
        return new ServerConnection(client, transport, options);
      } catch (error) {
        await client.close().catch(() => undefined);
        failure ??= toConnectionFailure(error, options, endingOf(transport));
        if (signal.aborted || !isOldServer(error)) break;
      }
    }
    throw failure;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why it is open no more, for people. */
  get ending(): string {
    return endingOf(this.#transport) ?? 'the connection was closed';
  }

  get serverInfo(): { readonly name: string; readonly version: string } | undefined {
    const version = this.#client.getServerVersion();
    return version && { name: version.name, version: version.version };
  }

  /** Its tools as they were listed last, for those who look. */
  get listed(): readonly ToolDefinition[] {
    return this.#listed;
  }

  /** Asked again only when the server says that it has changed. Fails: CallFailure. */
  async offer(): Promise<Offer> {
    return (this.#offer ??= await this.#list());
  }

  /** Fails: CallFailure; `signal.reason` when it aborts. */
  async callTool(name: string, args: unknown, options: CallOptions): Promise<CallToolResult> {
    const { timeoutMs: timeout, signal, onProgress } = options;
    const params = { name, arguments: args as Record<string, unknown> };
    return this.#watched(signal, (inner) =>
      // Not `callTool`: it refuses a result that does not fit the tool's own schema, when its effect has happened.
      this.#client.request({ method: 'tools/call', params }, CallToolResultSchema, {
        signal: inner,
        timeout,
        resetTimeoutOnProgress: true,
        onprogress: ({ message, progress, total }) =>
          onProgress(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`),
      }),
    );
  }

  /** Fails: CallFailure. */
  async readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    const request = { method: 'resources/read' as const, params: { uri } };
    return this.#watched(signal, (inner) =>
      this.#client.request(request, ReadResourceResultSchema, this.#patience(inner)),
    );
  }

  /** Fails: CallFailure. */
  async listResources(signal: AbortSignal): Promise<ListResourcesResult['resources']> {
    return this.#watched(signal, (inner) =>
      pages(async (cursor) => {
        const request = { method: 'resources/list' as const, params: cursor };
        const page = await this.#client.request(
          request,
          ListResourcesResultSchema,
          this.#patience(inner),
        );
        return { items: page.resources, nextCursor: page.nextCursor };
      }),
    );
  }

  /** Fails: CallFailure. */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    const request = { method: 'prompts/get' as const, params: { name, arguments: args } };
    return this.#watched(signal, (inner) =>
      this.#client.request(request, GetPromptResultSchema, this.#patience(inner)),
    );
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.close().catch(() => undefined);
  }

  #patience(signal?: AbortSignal): RequestOptions {
    return { timeout: this.#options.timeoutMs, ...(signal && { signal }) };
  }

  async #list(): Promise<Offer> {
    const capabilities = this.#client.getServerCapabilities() ?? {};
    try {
      this.#listed = capabilities.tools === undefined ? [] : await this.#listTools();
      return {
        tools: this.#listed,
        prompts: capabilities.prompts === undefined ? [] : await this.#listPrompts(),
        hasResources: capabilities.resources !== undefined,
      };
    } catch (error) {
      throw toCallFailure(error, this.#options.name, this.ending);
    }
  }

  async #listTools(): Promise<readonly ToolDefinition[]> {
    const tools = await pages(async (cursor) => {
      const request = { method: 'tools/list' as const, params: cursor };
      const page = await this.#client.request(request, ListToolsResultSchema, this.#patience());
      return { items: page.tools, nextCursor: page.nextCursor };
    });
    return byName(
      tools.map(({ name, description = '', inputSchema, annotations }) => ({
        name,
        description: shortened(description),
        inputSchema,
        ...(annotations !== undefined && { annotations }),
      })),
    );
  }

  async #listPrompts(): Promise<readonly PromptDefinition[]> {
    const prompts = await pages(async (cursor) => {
      const request = { method: 'prompts/list' as const, params: cursor };
      const page = await this.#client.request(request, ListPromptsResultSchema, this.#patience());
      return { items: page.prompts, nextCursor: page.nextCursor };
    });
    return byName(
      prompts.map(({ name, description = '', arguments: parameters = [] }) => ({
        name,
        description: shortened(description),
        arguments: parameters.map((one) => ({ name: one.name, required: one.required === true })),
      })),
    );
  }

  /** A request to a server at a distance may wait for an answer that was on a broken line: then it is lost. */
  async #watched<Result>(
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { name, config } = this.#options;
    const lost = new AbortController();
    const isRemote = 'url' in config;
    const watch = isRemote ? setInterval(() => void this.#look(lost), LOOK_AFTER_MS) : undefined;
    try {
      return await request(AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      signal.throwIfAborted();
      const cause: unknown = lost.signal.aborted ? lost.signal.reason : error;
      throw toCallFailure(cause, name, this.ending);
    } finally {
      clearInterval(watch);
    }
  }

  async #look(lost: AbortController): Promise<void> {
    try {
      await this.#client.ping(this.#patience());
    } catch (error) {
      if (isGone(error)) lost.abort(error);
    }
  }
}

function endingOf(transport: Transport): string | undefined {
  return transport instanceof ServerProcess && transport.ending !== ''
    ? transport.ending
    : undefined;
}

async function pages<Item>(
  page: (
    cursor: { readonly cursor: string } | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let next: string | undefined;
  for (let count = 0; count < MOST_PAGES; count++) {
    const { items, nextCursor } = await page(next === undefined ? undefined : { cursor: next });
    all.push(...items);
    if (nextCursor === undefined) break;
    next = nextCursor;
  }
  return all;
}

/** The same tools are told in the same order, however the server lists them. */
const byName = <Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] =>
  [...all].sort((a, b) => (a.name < b.name ? -1 : 1));

const shortened = (text: string): string =>
  text.length <= LONGEST_DESCRIPTION_CHARS
    ? text
    : `${text.slice(0, LONGEST_DESCRIPTION_CHARS)}… [shortened]`;
