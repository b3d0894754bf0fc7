import type { Command as Program } from 'commander';
import { Option } from 'commander';
import {
  anybody,
  holdersOf,
  readersOf,
  type Admission,
  type AskServer,
} from '../encryption/admission';
import { serveCodec } from '../encryption/codec-server';
import type { KeyRing } from '../encryption/key-ring';
import { createPayloadCodec } from '../encryption/payload-codec';
import { CliError, messageOf } from './cli-error';
import { addToList, toPort } from './option-values';
import type { OutputStream } from './output/output-stream';

export interface CodecServerCommand {
  readonly type: 'codec_server';
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** null: those of a local server. */
  readonly origins: readonly string[] | null;
  /** `temporal`: the Temporal server is asked about the token of each user. */
  readonly auth: 'token' | 'temporal';
}

export function parseCodecServer(program: Program, args: readonly string[]): CodecServerCommand {
  program
    .description('Shows clear text of encrypted payloads to the Temporal UI (docs/encryption.md).')
    .option('--port <n>', 'port to listen at; 0: any free one', toPort, 8235)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--origin <urls...>', 'of the UIs (default: those of the local server)', addToList)
    .addOption(
      new Option('--auth <how>', 'token: EVERLOOP_CODEC_TOKEN; temporal: who may read there')
        .choices(['token', 'temporal'])
        .default('token'),
    )
    .parse(args, { from: 'user' });
  const { origin, ...values } = program.opts<
    Pick<CodecServerCommand, 'host' | 'port' | 'auth'> & { readonly origin?: readonly string[] }
  >();
  return { type: 'codec_server', ...values, origins: origin?.map(requireOrigin) ?? null };
}

function requireOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (/^https?:/.test(origin)) return origin;
  throw new CliError(`--origin is "${text}", but must be a URL, as https://temporal.example.`);
}

export interface CodecServerWorld {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** null: there are no keys. */
  readonly ring: KeyRing | null;
  /** null: none is set. */
  readonly token: string | null;
  /** Of the local server's UI; null: none runs. */
  readonly localUi: () => Promise<string | null>;
  /** Connects to the Temporal server. */
  readonly connect: () => Promise<{ readonly namespace: string; readonly ask: AskServer }>;
  /** Resolves when it shall end. */
  readonly stopped: Promise<void>;
}

/** Serves until it is stopped. Fails: CliError when it must not be served so, or cannot. */
export async function codecServer(
  command: CodecServerCommand,
  world: CodecServerWorld,
): Promise<number> {
  const { ring, stdout, stderr } = world;
  if (ring === null) {
    throw new CliError(
      'There is no key to decrypt with. Set EVERLOOP_ENCRYPTION_KEYS or EVERLOOP_ENCRYPTION_KEY_FILE.',
    );
  }
  const admission = await admissionOf(command, world);
  const { host, port } = command;
  const origins = command.origins ?? localOrigins(await world.localUi());
  const said = new Set<string>();
  const server = await serveCodec({
    codec: createPayloadCodec(ring),
    host,
    port,
    origins,
    admission,
    onProblem(message) {
      if (said.has(message)) return;
      said.add(message);
      void stderr.write(`${message}\n`);
    },
  }).catch((cause: unknown) => {
    throw new CliError(
      `Codecs cannot be served at ${host}:${port}: ${messageOf(cause)}. Choose another --host or --port.`,
    );
  });
  await stdout.write(`${server.url}\n`);
  await world.stopped;
  await server.close();
  return 0;
}

/** By either name of this machine. */
function localOrigins(ui: string | null): readonly string[] {
  if (ui === null) {
    throw new CliError('No local server runs. Say where the UI is: --origin URL.');
  }
  const { port } = new URL(ui);
  return ['localhost', '127.0.0.1'].map((name) => `http://${name}:${port}`);
}

async function admissionOf(
  { host, auth }: CodecServerCommand,
  { token, connect }: CodecServerWorld,
): Promise<Admission> {
  if (auth === 'temporal') {
    const { namespace, ask } = await connect();
    return readersOf(namespace, ask);
  }
  if (token !== null) return holdersOf(token);
  if (/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) return anybody;
  throw new CliError(
    `Whoever reaches ${host} would see clear text. Set EVERLOOP_CODEC_TOKEN, or let the Temporal server decide: --auth temporal.`,
  );
}
