import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { Script } from '../../src/scripted-model/script';
import { temporalAddress } from '../support/temporal';
import { SdkClient, type QueryOptions } from './sdk-client';

// A test starts up to four processes, also on a machine that has much else to do.
jest.setTimeout(180_000);

/** The program under test: the built one, as users start it. */
const EVERLOOP = join(__dirname, '..', '..', 'bin', 'everloop');

/** One home folder and one client process for a test file; each test has a model and a project of its own. */
export class SdkRig {
  readonly #folder: string;
  client: SdkClient;
  readonly #models: ScriptedModel[] = [];

  private constructor(folder: string, client: SdkClient) {
    this.#folder = folder;
    this.client = client;
  }

  static async start(): Promise<SdkRig> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'everloop-sdk-')));
    return new SdkRig(folder, await SdkClient.start(join(folder, 'claude')));
  }

  async stop(): Promise<void> {
    await this.client.kill();
    await this.forget();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Closes the models of the test that has ended. */
  async forget(): Promise<void> {
    await Promise.all(this.#models.splice(0).map((model) => model.close()));
  }

  get home(): string {
    return join(this.#folder, 'home');
  }

  get configDir(): string {
    return join(this.#folder, 'claude');
  }

  /** A new project, and options for queries in it whose model says what the script says. */
  async project(
    script: Script['script'],
    match: Script['match'] = 'conversation',
  ): Promise<Project> {
    const model = await startScriptedModel({ script, match, isStrict: true });
    this.#models.push(model);
    const cwd = await mkdtemp(join(this.#folder, 'project-'));
    await mkdir(this.configDir, { recursive: true });
    return { model, cwd, options: { cwd, ...this.#launch(model) } };
  }

  /** The client and the program that it has started are killed; another client takes their place. */
  async killClient(): Promise<void> {
    await this.client.kill();
    this.client = await SdkClient.start(this.configDir);
  }

  #launch(model: ScriptedModel): Pick<QueryOptions, 'env' | 'pathToClaudeCodeExecutable'> {
    if (!existsSync(join(EVERLOOP, '..', '..', 'dist', 'cli', 'main.js'))) {
      throw new Error('everloop is not built. Run: npm run build');
    }
    return {
      pathToClaudeCodeExecutable: EVERLOOP,
      env: {
        PATH: process.env['PATH'],
        HOME: this.#folder,
        EVERLOOP_HOME: this.home,
        CLAUDE_CONFIG_DIR: this.configDir,
        TEMPORAL_ADDRESS: temporalAddress(),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'test-key',
      },
    };
  }
}

export interface Project {
  readonly model: ScriptedModel;
  readonly cwd: string;
  readonly options: QueryOptions;
}
