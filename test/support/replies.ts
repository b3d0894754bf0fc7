import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply, ReplyBlock } from '../../src/scripted-model/reply';

export const text = (content: string): ReplyBlock => ({ type: 'text', text: content });

export const call = (name: string, input: unknown): ReplyBlock => ({
  type: 'tool_use',
  name,
  input,
});

export const says = (content: string): Reply => ({ content: [text(content)] });

export const calls = (...blocks: readonly ReplyBlock[]): Reply => ({ content: blocks });

/** A command that says in the folder that it runs, and goes on when the file `until` lies there. */
export const heldCommand = (until = 'go'): ReplyBlock =>
  call('Bash', {
    command: `echo $$ >> runs; touch started; until [ -e ${until} ]; do sleep 0.02; done; echo went`,
  });

/** Resolves when the file is there.
 *  Fails: Error after 60 s. */
export async function fileIn(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  const deadline = Date.now() + 60_000;
  while (!existsSync(file)) {
    if (Date.now() > deadline) throw new Error(`${file} did not come within 60 s.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
