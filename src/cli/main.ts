import { isStdoutTerminal, takeStdout } from './own-stdout';
import { CliError, messageOf } from './cli-error';
import type { Command } from './command';
import { OutputStream } from './output/output-stream';
import { parseCommand } from './parse-command';
import type { Surroundings } from './surroundings';
import { readVersion } from './version';

/** What a shell reports for a process that SIGTERM ended. Sessions are durable: leaving at once loses nothing. */
const TERMINATED = 143;

async function main(): Promise<number> {
  const isAtTerminal = process.stdin.isTTY && isStdoutTerminal();
  const stdout = new OutputStream(takeStdout());
  const stderr = new OutputStream(process.stderr);
  try {
    const version = readVersion();
    const command = parseCommand(process.argv.slice(2), version);
    const tidiesUp = command.type === 'worker' || command.type === 'crash-test';
    if (!tidiesUp) process.on('SIGTERM', () => process.exit(TERMINATED));
    if (command.type === 'interactive' && !isAtTerminal) {
      throw new CliError(
        'Standard input and output are no terminal. Without one use: everloop -p "what to do".',
      );
    }
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
  const { Composition } = await import('./compose.js');
  const compose = new Composition(output);
  switch (command.type) {
    case 'interactive':
      return compose.interactive(command);
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
    case 'steer':
      return compose.steer(command);
    case 'pause':
    case 'resume':
      return compose.pause(command);
    case 'adjust':
      return compose.adjust(command);
    case 'workspace':
      return compose.workspace(command);
    case 'schedule':
      return compose.schedule(command);
    case 'approval':
      return compose.approval(command);
    case 'crash-test':
      return compose.crashTest(command);
    case 'scripted_model':
      return compose.scriptedModel(command);
    case 'collect':
      return compose.collect(command);
    case 'delete':
      return compose.delete(command);
    case 'fork':
      return compose.fork(command);
    case 'replay':
      return compose.replay(command);
    case 'rewind':
      return compose.rewind(command);
    case 'show_session':
      return compose.show(command);
    case 'logs':
      return compose.logs(command);
    case 'keys':
      return compose.keys(command);
    case 'codec_server':
      return compose.codecServer(command);
  }
}

void main().then((exitCode) => process.exit(exitCode));
