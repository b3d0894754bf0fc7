// Needs: a Temporal server (started by the run), dist (npm run build); installs the packed package and kills programs.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startScriptedModel } from '../../src/scripted-model/scripted-model';
import { kill } from '../support/kill';
import { call, calls, text } from '../support/replies';
import { temporalAddress } from '../support/temporal';
import { installPackage } from './installed';

let folder: string;
beforeAll(() => {
  folder = installPackage();
  const options =
    '--module node16 --moduleResolution node16 --target es2022 --strict --skipLibCheck';
  const tsc = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const files = ['everloop.config.ts', 'program.ts', 'worker.ts', 'workflows.ts'];
  execFileSync(process.execPath, [tsc, ...options.split(' '), ...files], {
    cwd: folder,
    stdio: 'inherit',
  });
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (modelUrl: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [join(folder, 'program.js'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      EVERLOOP_HOME: join(folder, 'home'),
      TEMPORAL_ADDRESS: temporalAddress(),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'test-key',
    },
  });

/** Rest of the first line that begins with the word. */
async function line(program: ChildProcess, word: string): Promise<string> {
  for await (const one of createInterface({ input: program.stdout! })) {
    if (one.startsWith(`${word} `)) return one.slice(word.length + 1);
  }
  throw new Error(`The program ended without a line "${word} ...".`);
}

test('a program that installed the package survives a SIGKILL with its tool and agent', async () => {
  const script = [
    calls(call('InStock', { fruit: 'apples' })),
    { content: [text('There are'), { ...text(' 12.'), hold: 'killed' }] },
  ];
  const model = await startScriptedModel({ script, match: 'conversation' });
  const first = start(model.url);
  let second: ChildProcess | null = null;
  try {
    const ids = (await line(first, 'session')).split(' ');
    await model.waitUntilHeld('killed', { timeoutMs: 60_000 });
    await kill(first);
    model.release('killed');
    second = start(model.url, ...ids);

    expect(await line(second, 'answer')).toBe(' 12.');
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('12 apples');
  } finally {
    first.kill('SIGKILL');
    second?.kill('SIGKILL');
    await model.close();
  }
}, 300_000);
