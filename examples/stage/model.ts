import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(__dirname, '..', '..', 'dist', 'scripted-model', 'main.js');

/** A reply with this text, written beforehand. */
export const says = (text: string) => ({ content: [{ type: 'text', text }] });

/** A reply that calls tools, written beforehand. */
export const calls = (...tools: readonly (readonly [name: string, input: object])[]) => ({
  content: tools.map(([name, input]) => ({ type: 'tool_use', name, input })),
});

/** Who plays the model. */
interface ModelSide {
  /** What processes need to reach it, beside what they inherit. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The real model where there is a key for it; else a process that says these replies, and a line that says so.
 *  The n-th reply answers each conversation that has n replies so far. */
export async function openModel(replies: readonly object[]): Promise<ModelSide> {
  if (process.env['ANTHROPIC_API_KEY'] || process.env['ANTHROPIC_AUTH_TOKEN']) {
    return { environment: {}, close: () => Promise.resolve() };
  }
  console.log('The model is SCRIPTED: its replies were written beforehand. The rest is real.');
  console.log('With ANTHROPIC_API_KEY set, the real model plays its part.');
  const folder = mkdtempSync(join(tmpdir(), 'everloop-script-'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ match: 'conversation', script: replies }));
  const child = spawn(process.execPath, [MAIN, '--script', script, '--until-stdin-ends'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  rmSync(folder, { recursive: true });
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  return {
    environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'scripted' },
    async close() {
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
}
