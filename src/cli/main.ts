import { isStdoutTerminal, takeStdout } from './own-stdout';
import { CliError, messageOf } from './cli-error';
import type { Command } from './command';
import type { Conversations } from './compose/conversations';
import type { Operations } from './compose/operations';
import type { Processes } from './compose/processes';
import type { ThisProcess } from './compose/this-process';
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
  const { ThisProcess } = await import('./compose/this-process.js');
  const here = new ThisProcess(output);
  switch (command.type) {
    case 'interactive':
      return (await conversations(here)).interactive(command);
    case 'print':
      return (await conversations(here)).print(command);
    case 'run':
      return (await conversations(here)).run(command);
    case 'attach':
      return (await conversations(here)).attach(command);
    case 'stop':
      return (await conversations(here)).stop(command);
    case 'server':
      return (await processes(here)).server(command);
    case 'doctor':
      return (await processes(here)).doctor(command);
    case 'list':
      return (await operations(here)).list(command);
    case 'service':
      return (await processes(here)).service(command);
    case 'worker':
      return (await processes(here)).worker(command);
    case 'steer':
      return (await operations(here)).steer(command);
    case 'pause':
    case 'resume':
      return (await operations(here)).pause(command);
    case 'adjust':
      return (await operations(here)).adjust(command);
    case 'workspace':
      return (await operations(here)).workspace(command);
    case 'schedule':
      return (await operations(here)).schedule(command);
    case 'approval':
      return (await operations(here)).approval(command);
    case 'crash-test':
      return (await processes(here)).crashTest(command);
    case 'scripted_model':
      return (await processes(here)).scriptedModel(command);
    case 'collect':
      return (await operations(here)).collect(command);
    case 'delete':
      return (await operations(here)).delete(command);
    case 'fork':
      return (await operations(here)).fork(command);
    case 'replay':
      return (await operations(here)).replay(command);
    case 'rewind':
      return (await operations(here)).rewind(command);
    case 'show_session':
      return (await operations(here)).show(command);
    case 'logs':
      return (await operations(here)).logs(command);
    case 'keys':
      return (await processes(here)).keys(command);
    case 'codec_server':
      return (await processes(here)).codecServer(command);
  }
}

// Loaded one family at a time, for the time to the first request.

async function conversations(here: ThisProcess): Promise<Conversations> {
  const { Conversations } = await import('./compose/conversations.js');
  return new Conversations(here);
}

async function operations(here: ThisProcess): Promise<Operations> {
  const { Operations } = await import('./compose/operations.js');
  return new Operations(here);
}

async function processes(here: ThisProcess): Promise<Processes> {
  const { Processes } = await import('./compose/processes.js');
  return new Processes(here);
}

void main().then((exitCode) => process.exit(exitCode));
