import type { AskClient } from '../../hooks/run-callback-hook';
import type { AskHost } from '../../mcp/mcp-host';
import type { JsonObject } from './json-object';

/** Requests of ours to the program that hosts the session, each answered once, by id. */
export class HostCalls {
  readonly #write: (frame: JsonObject) => Promise<void>;
  readonly #newId: () => string;
  readonly #open = new Map<string, Open>();
  #isOver = false;

  constructor(write: (frame: JsonObject) => Promise<void>, newId: () => string) {
    this.#write = write;
    this.#newId = newId;
  }

  /** Fails: when the host says so, has gone, or the signal aborts; then the request is taken back. */
  async ask(request: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#isOver) throw new Error('The program that hosts the session has closed its input.');
    signal.throwIfAborted();
    const requestId = this.#newId();
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#open.set(requestId, { resolve, reject });
    });
    const withdraw = (): void => {
      if (!this.#open.delete(requestId)) return;
      void this.#write({ type: 'control_cancel_request', request_id: requestId });
    };
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      await this.#write({ type: 'control_request', request_id: requestId, request });
      return await answer;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }

  /** `response`: null when the host failed. false: nobody here asked. */
  answered(requestId: string, response: JsonObject | null, error: string): boolean {
    const open = this.#open.get(requestId);
    if (open === undefined) return false;
    this.#open.delete(requestId);
    if (response === null) open.reject(new Error(error));
    else open.resolve(response);
    return true;
  }

  /** The host will not speak again. */
  end(): void {
    this.#isOver = true;
    for (const { reject } of this.#open.values())
      reject(new Error('The host has closed its input.'));
    this.#open.clear();
  }
}

interface Open {
  readonly resolve: (response: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** Hands messages to MCP servers that the host runs. */
export const asServerAsker =
  (calls: HostCalls): AskHost =>
  async (server, message, signal) => {
    const answer = await calls.ask(
      { subtype: 'mcp_message', server_name: server, message },
      signal,
    );
    return answer['mcp_response'];
  };

/** Asks a hook that the host runs. */
export const asHookAsker =
  (calls: HostCalls): AskClient =>
  (callbackId, input, toolUseId, signal) =>
    calls.ask(
      {
        subtype: 'hook_callback',
        callback_id: callbackId,
        input,
        ...(toolUseId !== null && { tool_use_id: toolUseId }),
      },
      signal,
    );
