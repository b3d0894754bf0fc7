import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Usage } from '../loop/usage';
import { requireValidConversation } from './conversation-rules';
import { Gates } from './gates';
import { playReply, sendError } from './play-reply';
import { Playbook } from './playbook';
import { PromptCache, tokensOf } from './prompt-cache';
import { contentOf } from './reply-message';
import type { Reply } from './reply';
import type { Script } from './script';
import { ScriptedRequest } from './scripted-request';
import { WaitingRoom, type WaitOptions } from './waiting-room';

export interface ScriptedModelOptions extends Script {
  /** Default: any free one. */
  readonly port?: number | undefined;
  /** Default: true. False lets the body of a request go after its answer; for long runs. */
  readonly keepBodies?: boolean | undefined;
  /** Default: false. True refuses, as the API does, conversations that break its rules; costs a parse of each body. */
  readonly isStrict?: boolean | undefined;
}

const LABEL = { 'x-everloop-scripted-model': '1' };
const MESSAGES = 'POST /v1/messages';
const COUNT_TOKENS = 'POST /v1/messages/count_tokens';
const CONTROL_PATH = '/scripted-model/';
const STATUS = `GET ${CONTROL_PATH}status`;
const REQUESTS = `GET ${CONTROL_PATH}requests`;
const RELEASE = `POST ${CONTROL_PATH}release/`;
/** Longer than a client keeps an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 300_000;

/** Starts an HTTP server on 127.0.0.1 that speaks the Messages API and says what the script says.
 *  Every answer bears the header x-everloop-scripted-model.
 *  Fails: Error when the port is taken. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return new ScriptedModel(server, options);
}

export class ScriptedModel {
  readonly url: string;
  /** Requests for a message, in order of arrival. */
  readonly requests: ScriptedRequest[] = [];
  /** All others: token counts, and what the API has no answer to. */
  readonly otherRequests: ScriptedRequest[] = [];
  readonly #playbook: Playbook;
  readonly #cache = new PromptCache();
  readonly #room = new WaitingRoom();
  readonly #gates = new Gates(this.#room);
  readonly #failures: string[] = [];

  constructor(
    private readonly server: Server,
    private readonly options: ScriptedModelOptions,
  ) {
    this.#playbook = new Playbook(options);
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (incoming, response) => this.#receive(incoming, response));
  }

  /** Requests answered with a reply that had been played before. */
  get repeats(): number {
    return this.#playbook.repeats;
  }

  /** Opens a gate for good. */
  release(gate: string): void {
    this.#gates.release(gate);
  }

  /** Resolves when a reply waits at the gate.
   *  Fails: Error after the time limit. */
  waitUntilHeld(gate: string, options?: WaitOptions): Promise<void> {
    return this.#gates.waitUntilHeld(gate, options);
  }

  /** Resolves with `requests[index]` when it has arrived.
   *  Fails: Error after the time limit. */
  waitForRequest(index: number, options?: WaitOptions): Promise<ScriptedRequest> {
    return this.#room.wait(
      () => this.requests[index],
      `Request ${index} to the scripted model`,
      options,
    );
  }

  /** Fails: Error that lists replies nobody asked for, and requests that found none. */
  assertConsumed(): void {
    const { failures, unplayed } = this.status();
    const lines = [...unplayed.map((line) => `never asked for: ${line}`), ...failures];
    if (lines.length === 0) return;
    throw new Error(
      `Scripted model: script and client disagree after ${this.requests.length} requests.\n  ${lines.join('\n  ')}`,
    );
  }

  /** JSON; what a parent process reads at /scripted-model/status. */
  status() {
    return {
      requests: this.requests.length,
      repeats: this.repeats,
      clientsLeft: this.requests.filter(({ clientLeft }) => clientLeft).length,
      held: this.#gates.held(),
      unplayed: this.#playbook.unplayed(),
      failures: this.#failures,
    };
  }

  /** Cuts every connection. Waits that are open fail. */
  async close(): Promise<void> {
    this.#room.close('The scripted model was closed.');
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  #receive(incoming: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const path = url.split('?', 1)[0] ?? '';
      const request = new ScriptedRequest(method, path, headers, Buffer.concat(chunks));
      response.on('close', () => {
        request.finish(response.writableFinished ? 'answered' : 'client_left');
        if (this.options.keepBodies === false) request.dropBody();
      });
      for (const [name, value] of Object.entries(LABEL)) response.setHeader(name, value);
      this.#answer(request, response).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#failures.push(message);
        if (response.headersSent) {
          request.finish('cut');
          response.destroy();
        } else sendError(response, { type: 'invalid_request_error', message });
      });
    });
  }

  async #answer(request: ScriptedRequest, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.path}`;
    if (route === MESSAGES) await this.#answerMessage(request, response);
    else if (request.path.startsWith(CONTROL_PATH)) this.#control(route, response);
    else {
      this.otherRequests.push(request);
      if (route === COUNT_TOKENS) sendJson(response, { input_tokens: tokensOf(request.bodyBytes) });
      else sendUnknown(route, response);
    }
  }

  #control(route: string, response: ServerResponse): void {
    if (route.startsWith(RELEASE)) this.release(decodeURIComponent(route.slice(RELEASE.length)));
    if (route === REQUESTS) {
      const summaries = this.requests.map((request) => request.summary());
      sendJson(response, summaries);
    } else if (route === STATUS || route.startsWith(RELEASE)) sendJson(response, this.status());
    else sendUnknown(route, response);
  }

  async #answerMessage(request: ScriptedRequest, response: ServerResponse): Promise<void> {
    const number = this.requests.push(request) - 1;
    this.#room.changed();
    response.setHeader('request-id', `req_scripted_${number}`);
    if (this.options.isStrict) requireValidConversation(request.body.messages);
    const { reply, index } = await this.#playbook.choose(request);
    await playReply({
      reply,
      request,
      response,
      gates: this.#gates,
      envelope: () => {
        const usage = { ...this.#usageOf(request, reply, index), ...reply.usage };
        request.usage = usage;
        return { messageId: `msg_scripted_${number}`, replyIndex: index, usage };
      },
    });
  }

  #usageOf(request: ScriptedRequest, reply: Reply, index: number): Usage {
    const content = JSON.stringify(contentOf(reply, index));
    const output_tokens = tokensOf(Buffer.byteLength(content));
    return { ...this.#cache.usageOf(request), output_tokens };
  }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

function sendUnknown(route: string, response: ServerResponse): void {
  const message = `The scripted model does not know ${route}. It answers ${MESSAGES}, ${COUNT_TOKENS}, ${STATUS}, ${REQUESTS} and ${RELEASE}GATE.`;
  sendError(response, { type: 'not_found_error', message });
}
