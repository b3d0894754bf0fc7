import { userInfo } from 'node:os';
import path from 'node:path';
import { CliError } from '../cli-error';
import type { ServerCommand, ServiceCommand } from '../command';
import type { Of, ThisProcess } from './this-process';

/** Commands that start, stop or serve something that outlives a turn. */
export class Processes {
  readonly #here: ThisProcess;

  constructor(here: ThisProcess) {
    this.#here = here;
  }

  async server(command: ServerCommand): Promise<number> {
    const { server } = await import('../server.js');
    const { ensureServer, serverStatus, stopServer } = await import('../../server/local-server.js');
    const { ATTRIBUTE_TYPES: searchAttributes } =
      await import('../../visibility/search-attributes.js');
    const { home } = this.#here.config;
    return server(command, {
      stdout: this.#here.output.stdout,
      start: () => ensureServer({ home, cli: this.#here.cliSearch(), searchAttributes }),
      stop: () => stopServer(home),
      status: () => serverStatus(home),
    });
  }

  async doctor(command: Of<'doctor'>): Promise<number> {
    const { doctor } = await import('../doctor/doctor.js');
    const { doctorChecks } = await import('./doctor-checks.js');
    return doctor(command, {
      stdout: this.#here.output.stdout,
      checks: doctorChecks(this.#here),
    });
  }

  async service(command: ServiceCommand): Promise<number> {
    const { service } = await import('../service/service.js');
    const { toServiceRun } = await import('../service/service-run.js');
    const { runWords, serviceManagerOf } = await import('../service/service-manager.js');
    const { findServer } = await import('../../server/local-server.js');
    const { findBackgroundWorker } = await import('../background.js');
    const config = this.#here.config;
    const run = toServiceRun(config, process.env);
    const configFolder = process.env['XDG_CONFIG_HOME'] ?? path.join(config.userHome, '.config');
    const { uid } = userInfo();
    const manager = serviceManagerOf(process.platform, run, {
      home: config.userHome,
      uid,
      configFolder,
    });
    if (manager === undefined) {
      throw new CliError(
        `There is no service manager for ${process.platform} here. Start it another way: everloop worker`,
      );
    }
    return service(command, {
      ...this.#here.output,
      manager,
      secretsFile: run.secretsFile,
      run: runWords,
      isServing: async () => ({
        worker: await findBackgroundWorker(await this.#here.host()),
        server: (await findServer(config.home)) !== undefined,
      }),
    });
  }

  async worker(command: Of<'worker'>): Promise<number> {
    const { worker } = await import('../worker.js');
    const { findBackgroundWorker, serveBackground } = await import('../background.js');
    const config = this.#here.config;
    const host = await this.#here.host({
      files: command.files,
      metricsAddress: command.metricsAddress ?? config.metricsAddress,
      hasNativeWarnings: true,
    });
    return worker(command, {
      check: async () => host.ownCode?.check(),
      isServed: () => findBackgroundWorker(host),
      serve: (signal) =>
        serveBackground(host, signal, command.healthAddress ?? config.healthAddress),
      onStop: (listener) => {
        process.once('SIGINT', listener);
        process.once('SIGTERM', listener);
      },
      graceMs: config.graceMs,
    });
  }

  async keys(command: Of<'keys'>): Promise<number> {
    if (command.action === 'new') {
      const { newKeyLine } = await import('../../encryption/encryption-key.js');
      await this.#here.output.stdout.write(`${newKeyLine(command.id ?? today())}\n`);
      return 0;
    }
    const { listKeys, rotateKeys } = await import('../keys/keys.js');
    const { withKeys } = await import('../keys/keys-world.js');
    const host = await this.#here.host();
    return withKeys(host, this.#here.output, (world) =>
      command.action === 'ls' ? listKeys(command.json, world) : rotateKeys(world),
    );
  }

  async codecServer(command: Of<'codec_server'>): Promise<number> {
    const { codecServer } = await import('../codec-server.js');
    const { openKeyRing } = await import('../../encryption/configured-keys.js');
    const { askTemporal } = await import('../keys/ask-temporal.js');
    const { findServer } = await import('../../server/local-server.js');
    return codecServer(command, {
      ...this.#here.output,
      ring: openKeyRing(this.#here.config),
      token: this.#here.config.codecToken?.reveal() ?? null,
      localUi: async () => (await findServer(this.#here.config.home))?.uiUrl ?? null,
      connect: () => askTemporal(this.#here.config, this.#here.cliSearch()),
      stopped: new Promise((resolve) => process.once('SIGINT', () => resolve())),
    });
  }

  async crashTest(command: Of<'crash-test'>): Promise<number> {
    const { crashTest } = await import('../../crash-test/crash-test.js');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => stop.abort(new Error(`The crash test was stopped by ${signal}.`)));
    }
    return crashTest(command, {
      stdout: this.#here.output.stdout,
      statusLine: await this.#here.openStatusLine(),
      config: this.#here.config,
      cli: this.#here.cliSearch(),
      environment: process.env,
      signal: stop.signal,
    });
  }

  async scriptedModel(command: Of<'scripted_model'>): Promise<number> {
    const { scriptedModel } = await import('../scripted-model.js');
    return scriptedModel(command, this.#here.output);
  }
}

const today = (): string => new Date().toISOString().slice(0, 10);
