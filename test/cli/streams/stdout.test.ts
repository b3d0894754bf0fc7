// Needs: a Temporal server (started by the run) and the built program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promptLine, STREAM_JSON, withCommands } from './command-world';

/** The ways to print that a program has. */
const NOISY_CONFIG = `
import { execSync } from 'node:child_process';
import { writeSync } from 'node:fs';
console.log('by the console');
process.stdout.write('by the stream\\n');
writeSync(1, 'by the number\\n');
execSync('echo by a child', { stdio: 'inherit' });
export default { tools: [] };
`;

test('stdout has protocol lines only, however somebody prints', () =>
  withCommands({ script: [{ content: [{ type: 'text', text: 'Hi.' }] }] }, async (world) => {
    writeFileSync(join(world.project, 'everloop.config.ts'), NOISY_CONFIG);
    const command = world.start(STREAM_JSON).read();

    command.stdin.end(`${JSON.stringify(promptLine('hello'))}\n`);
    const code = await command.ended;

    expect(code).toBe(0);
    expect(command.lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    for (const way of ['the console', 'the stream', 'the number', 'a child']) {
      expect(command.stderr).toContain(`by ${way}\n`);
    }
  }));
