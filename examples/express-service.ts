/** A web service with the official Agent SDK, made durable by one option: `pathToClaudeCodeExecutable`. Kill it at
 *  any moment, also with SIGKILL in the middle of a tool, and start it again: whoever asks for the events of a
 *  session gets what was said, and the rest of its turn.
 *  Run: npx tsx examples/express-service.ts
 *    curl -X POST localhost:3000/sessions -H 'content-type: application/json' -d '{"prompt": "Count to ten."}'
 *    curl -N localhost:3000/sessions/ID/events */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type * as Sdk from '@anthropic-ai/claude-agent-sdk' with { 'resolution-mode': 'import' };
import express from 'express';
import { Feed, type Message } from './express-service/feed';
import { calls, openModel, says } from './stage/model';
import { EVERLOOP } from './stage/stage';

/** What a scripted model does. */
const REPLIES = [
  calls(['Bash', { command: 'for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 1; done' }]),
  says('Counted.'),
];

/** Sessions by id. After a restart it is empty, and nothing is lost: the id is all that it takes to go on. */
class Sessions {
  readonly #feeds = new Map<string, Feed>();

  constructor(
    private readonly sdk: typeof Sdk,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  begin(prompt: string): string {
    const sessionId = randomUUID();
    this.#open(sessionId, prompt, { sessionId });
    return sessionId;
  }

  /** undefined: there is no such session. */
  async find(id: string): Promise<Feed | undefined> {
    if (!this.#feeds.has(id) && (await this.sdk.getSessionInfo(id)) === undefined) return undefined;
    const before = this.#feeds.has(id) ? [] : await this.sdk.getSessionMessages(id);
    // Somebody else may have asked meanwhile.
    return this.#feeds.get(id) ?? this.#open(id, noPrompt(), { resume: id }, before);
  }

  #open(
    id: string,
    prompt: string | AsyncIterable<Sdk.SDKUserMessage>,
    which: Sdk.Options,
    before: readonly Message[] = [],
  ): Feed {
    const feed = new Feed();
    for (const message of before) feed.add(message);
    this.#feeds.set(id, feed);
    const options: Sdk.Options = {
      ...which,
      pathToClaudeCodeExecutable: EVERLOOP,
      env: { ...process.env, ...this.environment },
      // For a service in a container of its own. Else ask somebody: canUseTool.
      allowedTools: ['Bash'],
      systemPrompt: { type: 'preset', preset: 'claude_code' },
    };
    void feed.fill(this.sdk.query({ prompt, options }));
    return feed;
  }
}

/** A session that is resumed without a prompt does what it has left to do. */
async function* noPrompt(): AsyncGenerator<Sdk.SDKUserMessage> {}

async function main(): Promise<void> {
  const model = await openModel(REPLIES);
  const sessions = new Sessions(await import('@anthropic-ai/claude-agent-sdk'), model.environment);
  const app = express().use(express.json());

  app.post('/sessions', (request, response) => {
    const { prompt } = request.body as { readonly prompt?: unknown };
    if (typeof prompt !== 'string') response.status(400).json({ error: 'prompt must be a text' });
    else response.status(201).json({ id: sessions.begin(prompt) });
  });

  app.get('/sessions/:id/events', async ({ params }, response) => {
    const feed = await sessions.find(params.id);
    if (feed === undefined) {
      response.status(404).json({ error: `There is no session ${params.id}.` });
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const send = (message: Message): void =>
      void response.write(`data: ${JSON.stringify(message)}\n\n`);
    const end = (): void => void response.end();
    for (const message of feed.messages) send(message);
    if (feed.hasEnded) end();
    feed.on('message', send).on('end', end);
    response.on('close', () => feed.off('message', send).off('end', end));
  });

  const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  console.log(`The service listens at http://127.0.0.1:${String(port)}`);
  process.once('SIGTERM', () => process.exit(0));
}

void main();
