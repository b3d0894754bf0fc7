import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCRequest,
  JSONRPCMessageSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpHost } from './mcp-host';

/** A server that runs in the program which hosts the session. */
export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #host: McpHost;
  readonly #server: string;
  readonly #closing = new AbortController();

  constructor(host: McpHost, server: string) {
    this.#host = host;
    this.#server = server;
  }

  async start(): Promise<void> {
    this.#host.listen(this.#server, (message) => this.onmessage?.(message));
  }

  /** The answer to a request arrives as a message, whenever it is there. */
  async send(message: JSONRPCMessage): Promise<void> {
    const asked = this.#host.ask(this.#server, message, this.#closing.signal);
    if (!isJSONRPCRequest(message)) {
      // Answered for form's sake.
      asked.catch((error: unknown) => this.onerror?.(toError(error)));
      return;
    }
    asked.then(
      (answer) => this.#answered(answer),
      (error: unknown) => {
        const { id } = message;
        this.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: -32603, message: toError(error).message },
        });
      },
    );
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server is no longer needed.'));
    this.onclose?.();
  }

  #answered(answer: unknown): void {
    const parsed = JSONRPCMessageSchema.safeParse(answer);
    if (parsed.success) this.onmessage?.(parsed.data);
    else this.onerror?.(new Error('The host answered with something that is no JSON-RPC message.'));
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
