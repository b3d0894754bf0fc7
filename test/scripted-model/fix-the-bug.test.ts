// Needs: sh and node on PATH; runs the demo's commands in a temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import {
  FIX_THE_BUG_FILES,
  FIX_THE_BUG_PROMPT,
  fixTheBugScript,
} from '../../src/scripted-model/scripts/fix-the-bug';
import { withModel } from './with-model';

interface ToolInput {
  readonly command: string;
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fix-the-bug-'));
  for (const [name, content] of Object.entries(FIX_THE_BUG_FILES))
    writeFileSync(join(folder, name), content);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Does what the tool of that name does, as far as the demo needs it. */
function run(name: string, input: ToolInput): string {
  if (name === 'Bash') {
    const { status, stdout } = spawnSync('sh', ['-c', input.command], {
      cwd: folder,
      encoding: 'utf8',
    });
    return `exit ${status ?? 'none'} ${stdout.trim()}`;
  }
  const text = readFileSync(input.file_path, 'utf8');
  if (name === 'Read') return text;
  const parts = text.split(input.old_string);
  writeFileSync(input.file_path, parts.join(input.new_string));
  return `${parts.length - 1} places changed`;
}

test('the demo script fixes the bug with real files and commands', async () => {
  await withModel(fixTheBugScript(folder, 0), async (model, client) => {
    const messages: MessageParam[] = [{ role: 'user', content: FIX_THE_BUG_PROMPT }];
    const results: string[] = [];
    for (let isDone = false; !isDone;) {
      const reply = await client.messages
        .stream({ model: 'any', max_tokens: 1_000, messages })
        .finalMessage();
      const calls = reply.content.filter((block) => block.type === 'tool_use');
      const found = calls.map(({ id, name, input }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: run(name, input as ToolInput),
      }));
      results.push(...found.map(({ content }) => content));
      messages.push(
        { role: 'assistant', content: reply.content },
        { role: 'user', content: found },
      );
      isDone = reply.stop_reason === 'end_turn';
    }

    expect(results).toEqual([
      'exit 1 ',
      FIX_THE_BUG_FILES['sum.js'],
      '1 places changed',
      'exit 0 sum: 2 checks passed',
    ]);
    model.assertConsumed();
  });
});

test('every text of the demo says that it is scripted', () => {
  const { script } = fixTheBugScript('/folder');
  const texts = (typeof script === 'function' ? [] : script)
    .flatMap(({ content }) => content ?? [])
    .flatMap((block) => (block.type === 'text' ? [block.text] : []));

  expect(texts).toHaveLength(5);
  for (const text of texts) expect(text).toMatch(/^\[scripted model\] /);
});
