import { createFileStore } from '../transcript/files/file-store';
import { join } from 'node:path';
import type { OwnCodeFiles } from '../agent/own-code-files';
import type { AgentClient } from '../client/agent-client';
import type { SettingsChoice } from '../activity-surroundings';
import type { Config } from '../config';
import type { CliSearch } from '../server/find-cli';
import { fingerprintOf } from '../fingerprint';
import { connectTemporal, type TemporalConnection } from '../temporal/connect';
import { backgroundQueue, sessionQueue } from '../temporal/task-queue';
import type { Fingerprint, TranscriptStore } from '../transcript/store';

/** What every command that talks to sessions has: the store, and a way to Temporal. */
export interface SessionHost {
  readonly config: Config;
  readonly settings: SettingsChoice;
  readonly version: string;
  readonly store: TranscriptStore;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fingerprint: Fingerprint;
  /** Of the background Worker that may serve what this process starts. */
  readonly backgroundQueue: string;
  /** A line for people, on stderr. */
  readonly tell: (line: string) => void;
  /** Tools, agents and hooks that the user wrote; absent: none are looked for. */
  readonly ownCode?: OwnCodeFiles;
  connect(): Promise<Connected>;
}

export interface Connected extends TemporalConnection {
  readonly agent: AgentClient;
}

export function createSessionHost(options: {
  readonly config: Config;
  readonly settings: SettingsChoice;
  readonly version: string;
  readonly cli: CliSearch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: nobody is told. */
  readonly tell?: (line: string) => void;
  readonly ownCode?: OwnCodeFiles;
}): SessionHost {
  const { config } = options;
  const { home } = config;
  const fingerprint = fingerprintOf(config);
  const projectsFolder = join(config.configDir, 'projects');
  const store: TranscriptStore = createFileStore({
    home,
    projectsFolder,
    adopt: ({ sessionId }) => ({ taskQueue: sessionQueue(store.place, sessionId), fingerprint }),
  });
  return {
    tell: () => undefined,
    ...options,
    store,
    fingerprint,
    backgroundQueue: backgroundQueue(home, fingerprint),
    async connect() {
      const temporal = await connectTemporal(config, options.cli);
      const { AgentClient } = await import('../client/agent-client.js');
      const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency } = config;
      const limits = { idleMs, rolloverEvents, maxToolConcurrency };
      return { ...temporal, agent: new AgentClient(temporal.client, store.place, limits) };
    },
  };
}
