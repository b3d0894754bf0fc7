import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import type { Admission } from './admission';

export interface CodecServerOptions {
  /** As its own makes it; payloads of others pass as they are. */
  readonly codec: PayloadCodec;
  /** An address of this machine. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where browsers may come from: scheme, host and port of UIs. */
  readonly origins: readonly string[];
  readonly admission: Admission;
  /** Is told why payloads could not be decoded; the UI shows them as they are. */
  readonly onProblem: (message: string) => void;
}

export interface CodecServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Events of a page of history come in one request. */
const MOST_BYTES = 64 << 20;

const Body = z.object({
  payloads: z
    .array(
      z.object({
        metadata: z.record(z.string(), z.base64()).optional(),
        data: z.base64().optional(),
      }),
    )
    .optional(),
});
type Body = z.infer<typeof Body>;

/** Encodes and decodes payloads for the Temporal UI and the `temporal` program: POST /encode and /decode, a JSON form
 *  of `Payloads` both ways.
 *  Fails: Error when it cannot listen there. */
export async function serveCodec(options: CodecServerOptions): Promise<CodecServer> {
  const server = createServer((request, response) => {
    respond(request, options).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        options.onProblem(String(error));
        send(response, { status: 500, headers: {} });
      },
    );
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function respond(request: IncomingMessage, options: CodecServerOptions): Promise<Answer> {
  const { origin } = request.headers;
  // Pages of other origins could not read the answer, but a name that is bound anew could make them this one.
  if (origin !== undefined && !options.origins.includes(origin)) {
    return refused(403, `Origin ${origin} is not admitted. Start it with --origin ${origin}.`, {});
  }
  const headers = origin === undefined ? {} : crossOrigin(origin);
  if (request.method === 'OPTIONS') return { status: 204, headers };
  const action = /\/(encode|decode)$/.exec(new URL(request.url ?? '/', 'http://it').pathname)?.[1];
  if (request.method !== 'POST' || action === undefined) {
    return refused(404, 'There are POST /encode and POST /decode.', headers);
  }
  const refusal = await options.admission(request.headers);
  if (refusal !== null) return refused(401, refusal, headers);
  const text = await readText(request);
  if (text === null) return refused(413, `A request has ${MOST_BYTES} bytes at most.`, headers);
  const parsed = Body.safeParse(parseJson(text));
  if (!parsed.success) return refused(400, z.prettifyError(parsed.error), headers);
  const payloads = fromJson(parsed.data);
  const done =
    action === 'encode'
      ? await options.codec.encode([...payloads])
      : await decodeEach(payloads, options);
  const body = JSON.stringify(toJson(done));
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** What cannot be decoded must not hide the rest. */
async function decodeEach(
  payloads: readonly Payload[],
  { codec, onProblem }: CodecServerOptions,
): Promise<readonly Payload[]> {
  const decode = async (payload: Payload): Promise<Payload> => {
    try {
      const [decoded = payload] = await codec.decode([payload]);
      return decoded;
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return payload;
    }
  };
  return Promise.all(payloads.map(decode));
}

const crossOrigin = (origin: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, x-namespace',
  'access-control-allow-credentials': 'true',
  'access-control-max-age': '600',
  vary: 'origin',
});

function refused(status: number, error: string, headers: Answer['headers']): Answer {
  const body = `${JSON.stringify({ error })}\n`;
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'cache-control': 'no-store' });
  response.end(body);
}

/** null: it is too large. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fromJson = ({ payloads = [] }: Body): readonly Payload[] =>
  payloads.map(({ metadata = {}, data = '' }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
    ),
    data: Buffer.from(data, 'base64'),
  }));

const toJson = (payloads: readonly Payload[]): Body => ({
  payloads: payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, toBase64(value)]),
    ),
    data: toBase64(data),
  })),
});

const toBase64 = (bytes: Uint8Array | null | undefined): string =>
  Buffer.from(bytes ?? []).toString('base64');
