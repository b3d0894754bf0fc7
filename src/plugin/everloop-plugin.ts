import { homedir } from 'node:os';
import { SimplePlugin } from '@temporalio/plugin';
import type { ClientOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import {
  Worker,
  type BundleOptions,
  type ReplayWorkerOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Activities } from '../activities/interface';
import { laterActivities } from '../activities/later-activities';
import { taskResultOf } from '../activities/agent-task/report-task';
import type { Agent } from '../agent/define-agent';
import { readVersion } from '../cli/version';
import { loadConfig, type Config } from '../config';
import { openKeyRing } from '../encryption/configured-keys';
import { encryptedConverter, FAILURE_CONVERTER } from '../encryption/data-converter';
import type { KeyRing } from '../encryption/key-ring';
import { openStore } from '../open-store';
import { beginServing, type ServingProcess } from '../serving-process';
import type { Tool } from '../tools/tool';
import type { QueryResult } from '../transcript/session-log';
import type { TranscriptStore } from '../transcript/store';
import { composeActivities } from '../worker-activities';
import type { AnswerRef } from '../workflows/agent-task';

export interface EverloopPluginOptions {
  /** What tasks may name. Omitted: none. */
  readonly agents?: readonly Agent[];
  /** Beside the built-in ones, for tasks that name no agent. Omitted: none. */
  readonly tools?: readonly Tool[];
  /** Configuration, and what commands inherit. Omitted: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Temporal plugin: a Worker with it runs agents as child Workflows (`runAgent`, `executeChild('query', ...)`).
 *  Connection, data converter and everything else stay the Worker's own; where there are keys of encryption, our codec
 *  comes behind its own, and clients need the plugin as well. One plugin may be given to several Workers and clients of
 *  a process. Fails: ConfigError. */
export function everloop(options: EverloopPluginOptions = {}): EverloopPlugin {
  return new EverloopPlugin(options);
}

/** As bundled-workflows.ts names it. */
const THEIRS = './replaced-by-their-workflows';

interface Serving {
  readonly process: ServingProcess;
  readonly unwatch: () => void;
  readonly activities: Activities;
}

export class EverloopPlugin extends SimplePlugin {
  readonly #options: EverloopPluginOptions;
  readonly #config: Config;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #store: TranscriptStore;
  readonly #ring: KeyRing | null;
  readonly #converters = new WeakSet<DataConverter>();
  readonly #activities: Activities;
  #serving: Promise<Serving> | null = null;
  #workers = 0;

  constructor(options: EverloopPluginOptions) {
    super({ name: 'everloop' });
    this.#options = options;
    this.#environment = options.environment ?? process.env;
    this.#config = loadConfig(this.#environment, this.#environment['HOME'] ?? homedir());
    this.#store = openStore(this.#config);
    this.#ring = openKeyRing(this.#config);
    // Registered before the Worker runs; called only while it does.
    this.#activities = laterActivities(() => this.#running());
  }

  /** The whole result of a task that has ended, for Activities of your own.
   *  Fails: ApplicationFailure `Task.NoResult` (final). */
  resultOf(answer: AnswerRef): Promise<QueryResult> {
    return taskResultOf(this.#store, answer);
  }

  /** Adds the Workflows to those that are bundled. */
  override configureBundler(options: BundleOptions): BundleOptions {
    const { workflowsPath, webpackConfigHook } = options;
    return {
      ...(this.#ring !== null && { failureConverterPath: FAILURE_CONVERTER }),
      ...options,
      workflowsPath: require.resolve('./bundled-workflows'),
      webpackConfigHook(config) {
        const { resolve = {}, ...rest } = webpackConfigHook?.(config) ?? config;
        const { alias = [] } = resolve;
        const ours = Array.isArray(alias)
          ? [...alias, { name: THEIRS, onlyModule: true, alias: workflowsPath }]
          : { ...alias, [`${THEIRS}$`]: workflowsPath };
        return { ...rest, resolve: { ...resolve, alias: ours } };
      },
    };
  }

  /** Adds the Activities. */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    const theirs = (options.activities ?? {}) as Readonly<Record<string, unknown>>;
    const taken = Object.entries(this.#activities).find(
      ([name, ours]) => name in theirs && theirs[name] !== ours,
    );
    if (taken !== undefined) {
      throw new Error(
        `Your Worker and the everloop plugin both have an Activity named ${taken[0]}. Rename yours.`,
      );
    }
    return {
      // A stop comes in the answer to a heartbeat.
      maxHeartbeatThrottleInterval: '300ms',
      // A Worker that dies leaves its tasks on its own sticky queue; nobody looks there for this long.
      stickyQueueScheduleToStartTimeout: '1s',
      ...this.#encrypted(options),
      activities: { ...theirs, ...this.#activities },
    };
  }

  /** What tasks are given and answer is read with the same keys. */
  override configureClient(options: ClientOptions): ClientOptions {
    return this.#encrypted(options);
  }

  override configureReplayWorker(options: ReplayWorkerOptions): ReplayWorkerOptions {
    return this.#encrypted(options);
  }

  #encrypted<Options extends Pick<ClientOptions, 'dataConverter'>>(options: Options): Options {
    const { dataConverter: theirs } = options;
    // A client hears of a plugin of its connection as well.
    if (this.#ring === null || (theirs && this.#converters.has(theirs))) return options;
    const dataConverter = encryptedConverter(this.#ring, theirs);
    this.#converters.add(dataConverter);
    return { ...options, dataConverter };
  }

  /** The process can be seen to live as long as one of its Workers runs. */
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    this.#workers += 1;
    try {
      this.#serving ??= this.#serve(worker);
      await this.#serving;
      await next(worker);
    } finally {
      this.#workers -= 1;
      if (this.#workers === 0) await this.#leave();
    }
  }

  async #serve(worker: Worker): Promise<Serving> {
    const { client } = worker;
    // A plugin that was loaded beside another copy of the SDK would bundle Workflows for that one.
    if (!(worker instanceof Worker) || client === undefined) {
      throw new Error(
        'The Worker and the everloop plugin use two copies of @temporalio/worker. Give every @temporalio package of the program the version that everloop has: npm ls @temporalio/worker',
      );
    }
    const [config, store] = [this.#config, this.#store];
    const serving = await beginServing({
      home: config.home,
      host: config.host,
      workspace: null,
      store,
      client,
    });
    const { tools = [], agents = [] } = this.#options;
    const activities = composeActivities(
      {
        config,
        client,
        store,
        tools,
        agents,
        settings: { cli: null },
        environment: this.#environment,
        version: readVersion(),
      },
      serving,
    );
    await serving.rescue();
    return { process: serving, unwatch: serving.watch(), activities };
  }

  async #leave(): Promise<void> {
    const serving = await this.#serving?.catch(() => null);
    this.#serving = null;
    serving?.unwatch();
    await serving?.process.leave();
  }

  async #running(): Promise<Activities> {
    if (this.#serving === null) throw new Error('The Worker of the everloop plugin does not run.');
    return (await this.#serving).activities;
  }
}
