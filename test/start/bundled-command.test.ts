// Needs: the build, and a Temporal server (started by the run).
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { promptLine, STREAM_JSON, withCommands } from '../cli/streams/command-world';
import { call, calls, says } from '../support/replies';

const ROOT = path.join(__dirname, '..', '..');
const LOADER = JSON.stringify(path.join(ROOT, 'dist', 'start', 'load-command.js'));

const run = (script: string) => promisify(execFile)(process.execPath, ['-e', script]);

test('what V8 compiled when the command was built is taken as it is', async () => {
  const { stdout } = await run(`
    const { loadCommand, CODE_CACHE } = require(${LOADER});
    const { script } = loadCommand(require('node:fs').readFileSync(CODE_CACHE));
    console.log(script.cachedDataRejected);`);

  expect(stdout).toBe('false\n');
});

test('what another Node compiled is passed over', async () => {
  const { stdout } = await run(`
    const { loadCommand } = require(${LOADER});
    const { script, exports } = loadCommand(Buffer.from('compiled by somebody else'));
    console.log(script.cachedDataRejected, typeof exports.run);`);

  expect(stdout).toBe('true function\n');
});

test('no module of ours imports what only its run could name: one file cannot', () => {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });

  const computed = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /(?<!\.)\bimport\((?!['"])/.test(readFileSync(path.join(ROOT, 'src', file), 'utf8')),
    );

  expect(computed).toEqual([]);
});

/** A tool of the user's that uses the Temporal SDK itself. */
const CONFIG = `
import { Context } from '@temporalio/activity';
import { defineTool } from 'everloop';
import { z } from 'zod';
const where = defineTool({
  name: 'Where',
  description: 'Says in which Activity it runs.',
  inputSchema: z.object({}),
  isReadOnly: () => true,
  call: async () => ({ content: 'in ' + Context.current().info.activityType }),
});
export default { tools: [where] };
`;

test('code of the user finds the very modules that the command has', () =>
  withCommands({ script: [calls(call('Where', {})), says('Done.')] }, async (world) => {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(world.project, 'node_modules'));
    writeFileSync(path.join(world.project, 'everloop.config.ts'), CONFIG);

    const command = world.start([...STREAM_JSON, '--allowedTools', 'Where']).read();

    command.stdin.end(`${JSON.stringify(promptLine('where?'))}\n`);
    const code = await command.ended;

    expect(code).toBe(0);
    expect(JSON.stringify(command.lines)).toContain('in runTool');
  }));

const SCRIPT = `
import { defineCrashTest } from 'everloop';
const prompts: readonly string[] = ['Go.'];
export default defineCrashTest({ prompts: [...prompts], conversations: [{ replies: [] }] });
`;

test('a crash script may be a module, also in TypeScript', () =>
  withCommands({ script: [] }, async (world) => {
    writeFileSync(path.join(world.project, 'script.ts'), SCRIPT);

    const command = world.start(['scripted-model', 'script.ts']);

    expect(String(await once(command.stdout, 'data'))).toContain('ANTHROPIC_BASE_URL');
  }));
