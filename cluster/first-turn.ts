import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../src/scripted-model/reply';
import type { KeyedModel } from './keyed-model';
import type { Tenant } from './tenant';

/** ms after the message was handed over. */
export interface FirstTurn {
  /** Its first request reached the model. */
  readonly toRequestMs: number;
  /** The reply's tool has run, and its result reached the model. */
  readonly toResultMs: number;
}

/** In the midst of other work, on a busy machine. */
const USUAL_LIMIT_MS = 120_000;

/** A new session's first message, which takes one tool. `thinkMs`: of the model, before each reply (0).
 *  Fails: Error when it takes longer than `withinMs`. */
export async function firstTurn(
  model: KeyedModel,
  tenant: Tenant,
  key: string,
  { thinkMs = 0, withinMs = USUAL_LIMIT_MS }: { thinkMs?: number; withinMs?: number } = {},
): Promise<FirstTurn> {
  const content = model.expect(key, {
    replies: oneTool(tenant.workingFolder),
    think: () => delay(thinkMs),
  });
  const session = await tenant.begin();
  const saidAt = performance.now();
  // A queue that is not served fairly may hold up the answer to the message as well.
  const said = tenant.say(session, content);
  said.catch(() => undefined);
  const requestAt = await model.arrival(key, 0, withinMs);
  const resultAt = await model.arrival(key, 1, withinMs);
  await said;
  return { toRequestMs: requestAt - saidAt, toResultMs: resultAt - saidAt };
}

/** Replies to a message that reads one file and then ends. Writes the file. */
function oneTool(folder: string): readonly Reply[] {
  mkdirSync(folder, { recursive: true });
  const file_path = join(folder, 'read-me.txt');
  writeFileSync(file_path, 'One line of text.\n'.repeat(250));
  return [
    { content: [{ type: 'tool_use', name: 'Read', input: { file_path } }] },
    { content: [{ type: 'text', text: 'Done.' }] },
  ];
}
