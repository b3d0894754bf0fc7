import { takeStdout } from './own-stdout';
import { CliError, messageOf } from './cli-error';
import type { Command } from './command';
import { OutputStream } from './output/output-stream';
import { parseCommand } from './parse-command';
import type { Surroundings } from './surroundings';
import { readVersion } from './version';

/** What a shell reports for a process that SIGTERM ended. Sessions are durable: leaving at once loses nothing. */
const TERMINATED = 143;

async function main(): Promise<number> {
  const stdout = new OutputStream(takeStdout());
  const stderr = new OutputStream(process.stderr);
  try {
    const version = readVersion();
    const command = parseCommand(process.argv.slice(2), version);
    const tidiesUp = command.type === 'worker' || command.type === 'crash-test';
    if (!tidiesUp) process.on('SIGTERM', () => process.exit(TERMINATED));
    const exitCode = await execute(command, { stdout, stderr, version });
    return exitCode === 0 && stdout.failure !== null ? 1 : exitCode;
  } catch (error) {
    await stderr.write(`${messageOf(error)}\n`);
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function execute(
  command: Command,
  output: Pick<Surroundings, 'stdout' | 'stderr' | 'version'>,
): Promise<number> {
  if (command.type === 'show') {
    await output.stdout.write(command.text);
    return 0;
  }
  if (command.type === 'interactive') {
    throw new CliError('There is no interactive mode yet. Use: everloop -p "what to do".');
  }
  const { Composition } = await import('./compose.js');
  const compose = new Composition(output);
  switch (command.type) {
    case 'print':
      return compose.print(command);
    case 'run':
      return compose.run(command);
    case 'attach':
      return compose.attach(command);
    case 'stop':
      return compose.stop(command);
    case 'server':
      return compose.server(command);
    case 'doctor':
      return compose.doctor(command);
    case 'list':
      return compose.list(command);
    case 'service':
      return compose.service(command);
    case 'worker':
      return compose.worker(command);
    case 'crash-test':
      return compose.crashTest(command);
  }
}

void main().then((exitCode) => process.exit(exitCode));
