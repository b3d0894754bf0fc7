// Needs: a child process of Node, which runs the TypeScript source through tsx.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ask, clientOf } from './with-model';

const MAIN = join(__dirname, '../../src/scripted-model/main.ts');

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripted-model-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(folder, { recursive: true });
});

function start(script: string, ...args: string[]): ChildProcess {
  const file = join(folder, 'script.json');
  writeFileSync(file, script);
  child = spawn(process.execPath, ['--import', 'tsx', MAIN, '--script', file, ...args]);
  return child;
}

async function firstLine(stream: ChildProcess['stdout']): Promise<string> {
  const [line] = (await once(createInterface(stream!), 'line')) as [string];
  return line;
}

const urlOf = (line: string): string => (JSON.parse(line) as { url: string }).url;

describe('the scripted model as a process', () => {
  test('answers from a script file, and is watched and steered over HTTP', async () => {
    const script = JSON.stringify({
      match: 'conversation',
      script: [{ content: [{ type: 'text', text: 'hello' }], hold: 'a door' }],
    });
    const url = urlOf(await firstLine(start(script).stdout));

    const answer = clientOf(url).messages.create(ask());
    await fetch(`${url}/scripted-model/release/a%20door`, { method: 'POST' });
    const message = await answer;

    expect(message.content).toMatchObject([{ text: 'hello' }]);
    const status: unknown = await (await fetch(`${url}/scripted-model/status`)).json();
    expect(status).toEqual({
      requests: 1,
      repeats: 0,
      clientsLeft: 0,
      held: [],
      unplayed: [],
      failures: [],
    });
    const requests: unknown = await (await fetch(`${url}/scripted-model/requests`)).json();
    expect(requests).toMatchObject([{ outcome: 'answered', usage: message.usage }]);
  });

  test('ends with its parent: when standard input ends', async () => {
    const running = start('{"script":[]}', '--until-stdin-ends');
    await firstLine(running.stdout);

    running.stdin?.end();

    expect(await once(running, 'exit')).toEqual([0, null]);
  });

  test.each([
    ['no JSON', '{"script":', [], 'is not JSON'],
    ['a misspelt field', '{"script":[{"delay":3}]}', [], 'Unrecognized key: "delay"'],
    [
      'an interruption without a place',
      '{"script":[{"interruptions":[{"type":"cut"}]}]}',
      [],
      'give afterBlocks or afterDeltas',
    ],
    ['a bad port', '{"script":[]}', ['--port', 'x'], '--port x is no port'],
  ])('%s → exit 1 with the reason', async (_, script, args, reason) => {
    const failing = start(script, ...args);
    let errors = '';
    failing.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));

    expect(await once(failing, 'close')).toEqual([1, null]);
    expect(errors).toContain(reason);
  });
});
