import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServiceCommand } from '../command';
import type { OutputStream } from '../output/output-stream';
import type { ServiceManager, Words } from './service-manager';

export interface ServiceDeps {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly manager: ServiceManager;
  /** Where the user keeps the service's credentials. */
  readonly secretsFile: string;
  /** null: it succeeded; else what it said. */
  run(words: Words): Promise<string | null>;
  /** Whether the background Worker and the server answer now, whoever started them. */
  isServing(): Promise<{ readonly worker: boolean; readonly server: boolean }>;
}

const SECRETS = `# Credentials of the background Worker, one a line: the same kind as the sessions that it shall serve.
#ANTHROPIC_API_KEY=
#ANTHROPIC_AUTH_TOKEN=
`;

/** Makes the system start the background Worker, which starts the server. Exit code 1: the service does not run. */
export async function service(
  { action, print }: ServiceCommand,
  deps: ServiceDeps,
): Promise<number> {
  switch (action) {
    case 'install':
      return print ? show(deps) : install(deps);
    case 'uninstall':
      return uninstall(deps);
    case 'status':
      return status(deps);
  }
}

async function show({ stdout, manager }: ServiceDeps): Promise<number> {
  await stdout.write(manager.unitText);
  return 0;
}

async function install(deps: ServiceDeps): Promise<number> {
  const { stdout, stderr, manager, secretsFile } = deps;
  const { unitFile, unitText, enable, disable, atBoot } = manager;
  if (!existsSync(secretsFile)) writeWhole(secretsFile, SECRETS);
  const isReplaced = existsSync(unitFile);
  writeWhole(unitFile, unitText);
  await stdout.write(`Written: ${unitFile}\nCredentials are read from ${secretsFile}.\n`);
  // launchd keeps the one that it has loaded.
  if (isReplaced) await firstFailure(disable, deps);
  const failed = await firstFailure(enable, deps);
  if (failed !== null) {
    const cure = enable.map((words) => words.join(' ')).join(' && ');
    await stderr.write(
      `The service is written but not enabled: ${failed}\nEnable it where the service manager of your user runs: ${cure}\nUntil then: everloop worker\n`,
    );
    return 1;
  }
  const boot = atBoot === null ? '' : ` To have it without a login: ${atBoot}`;
  await stdout.write(`The service runs, and starts when you log in.${boot}\n`);
  return 0;
}

async function uninstall(deps: ServiceDeps): Promise<number> {
  const { stdout, stderr, manager, secretsFile } = deps;
  const { unitFile, disable } = manager;
  if (!existsSync(unitFile)) {
    await stdout.write('No service is installed.\n');
    return 0;
  }
  const failed = await firstFailure(disable, deps);
  rmSync(unitFile);
  await stdout.write(`Removed: ${unitFile}. Credentials stay in ${secretsFile}.\n`);
  if (failed === null) return 0;
  await stderr.write(
    `It could not be told to stop: ${failed}\nIf it runs: ${disable.map((words) => words.join(' ')).join(' && ')}\n`,
  );
  return 1;
}

async function status(deps: ServiceDeps): Promise<number> {
  const { stdout, manager } = deps;
  const isInstalled = existsSync(manager.unitFile);
  const reason = isInstalled ? await deps.run(manager.look) : null;
  const { worker, server } = await deps.isServing();
  const service = !isInstalled
    ? 'not installed (everloop service install)'
    : reason === null
      ? 'runs'
      : `installed, does not run (${reason})`;
  const answer = (answers: boolean): string => (answers ? 'answers' : 'does not answer');
  await stdout.write(
    `Service: ${service}\nBackground Worker of this environment: ${answer(worker)}\nServer: ${answer(server)}\n`,
  );
  return isInstalled && reason === null ? 0 : 1;
}

/** null: all succeeded. */
async function firstFailure(
  all: readonly Words[],
  { run }: Pick<ServiceDeps, 'run'>,
): Promise<string | null> {
  for (const words of all) {
    const said = await run(words);
    if (said !== null) return `${words.join(' ')}: ${said}`;
  }
  return null;
}

function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}
