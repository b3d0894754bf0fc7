import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Decides who may read clear text. Resolves with why not; null: he may. */
export type Admission = (headers: IncomingHttpHeaders) => Promise<string | null>;

/** For a server that only this machine can reach. */
export const anybody: Admission = () => Promise.resolve(null);

/** One token for all who may. */
export function holdersOf(token: string): Admission {
  const wanted = digestOf(token);
  return async ({ authorization = '' }) =>
    timingSafeEqual(digestOf(bearerOf(authorization)), wanted)
      ? null
      : 'The bearer token is missing or wrong. It is the value of EVERLOOP_CODEC_TOKEN.';
}

/** Whether a token may read a namespace, as the Temporal server says. Fails: when it does not say. */
export type AskServer = (token: string, namespace: string) => Promise<boolean>;

/** How long a yes of the server counts. */
const TRUSTED_MS = 60_000;
const MOST_TRUSTED = 10_000;

/** Whoever may read the namespace with the token that the UI has of him.
 *  Fails: Error when the server lets everybody read: then a token says nothing. */
export async function readersOf(namespace: string, ask: AskServer): Promise<Admission> {
  if (await ask('no token of anybody', namespace)) {
    throw new Error(
      `The Temporal server lets everybody read namespace ${namespace}, so it cannot say who may see clear text. Set an authorizer up there, or use EVERLOOP_CODEC_TOKEN.`,
    );
  }
  const trusted = new Map<string, number>();
  return async ({ authorization = '', 'x-namespace': asked }) => {
    if (asked !== undefined && asked !== namespace) {
      return `This server decodes payloads of namespace ${namespace}, not of ${String(asked)}.`;
    }
    const token = bearerOf(authorization);
    const digest = digestOf(token).toString('hex');
    if ((trusted.get(digest) ?? 0) > Date.now()) return null;
    if (token === '' || !(await ask(token, namespace))) {
      return `The Temporal server does not let you read namespace ${namespace}. In the UI's settings of the codec server let it pass the user's access token.`;
    }
    if (trusted.size >= MOST_TRUSTED) trusted.clear();
    trusted.set(digest, Date.now() + TRUSTED_MS);
    return null;
  };
}

const bearerOf = (authorization: string): string =>
  /^bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? '';

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
