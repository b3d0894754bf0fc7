import { z } from 'zod';
import { replySchema, type Reply } from './reply';
import type { ScriptedRequest } from './scripted-request';

/** `index`: how many requests came before, or with `match: 'conversation'` the assistant messages in the request. */
export type ReplyFunction = (request: ScriptedRequest, index: number) => Reply | Promise<Reply>;

/** What the model will say. */
export interface Script {
  readonly script: readonly Reply[] | ReplyFunction;
  readonly match?: Match | undefined;
}

/** How a request finds its reply.
 *  - `arrival`: the n-th request gets the n-th reply.
 *  - `conversation`: a request with n assistant messages gets the n-th reply, each time it comes. A run that a
 *    crash made repeat a request is thus answered as before. */
export type Match = 'arrival' | 'conversation';

const scriptFile = z.strictObject({
  match: z.enum(['arrival', 'conversation']).optional(),
  script: z.array(replySchema).readonly(),
});

/** Fails: with the path of each wrong field when the file is no script. */
export function parseScriptFile(text: string, path: string): Script {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`Script ${path} is not JSON (${String(cause)}). Write {"script": [replies]}.`, {
      cause,
    });
  }
  const parsed = scriptFile.safeParse(json);
  if (!parsed.success)
    throw new Error(`Script ${path} is not a script:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
