import type { PermissionMode } from '../loop/state';
import type { RunOptions } from '../transcript/message';
import type { CodecServerCommand } from './codec-server';
import type { CrashTestCommand } from './crash-test';
import type { KeysCommand } from './keys/keys-command';
import type { ApprovalCommand } from './operator/approval-command';
import type { CollectCommand } from './operator/collect-command';
import type { DeleteCommand } from './operator/delete-command';
import type { ForkCommand } from './operator/fork-command';
import type { ReplayCommand } from './operator/replay-command';
import type { RewindCommand } from './operator/rewind-command';
import type { AdjustCommand } from './operator/adjust-command';
import type { PauseCommand } from './operator/pause';
import type { LogsCommand, ShowCommand } from './operator/reading-commands';
import type { ScheduleCommand } from './operator/schedule-command';
import type { SteerCommand } from './operator/steer-command';
import type { WorkspaceCommand } from './operator/workspace-command';

/** What the command line asks for. Parsed once, never changed. */
export type Command =
  | PrintCommand
  | InteractiveCommand
  | WorkerCommand
  | RunCommand
  /** `query`: a visibility query; null: all sessions. */
  | { readonly type: 'list'; readonly json: boolean; readonly query: string | null }
  | ShowCommand
  | LogsCommand
  | { readonly type: 'attach'; readonly sessionId: string; readonly output: OutputOptions }
  /** Session ids, prefixes, visibility queries. */
  | { readonly type: 'stop'; readonly selectors: readonly string[]; readonly json: boolean }
  | ServerCommand
  | ServiceCommand
  | { readonly type: 'doctor'; readonly repair: boolean }
  | CrashTestCommand
  | ScriptedModelCommand
  | ApprovalCommand
  | ForkCommand
  | ReplayCommand
  | DeleteCommand
  | CollectCommand
  | RewindCommand
  | ScheduleCommand
  | PauseCommand
  | SteerCommand
  | AdjustCommand
  | KeysCommand
  | CodecServerCommand
  | WorkspaceCommand
  /** Help or version: text for stdout. */
  | { readonly type: 'show'; readonly text: string };

export interface PrintCommand extends RunnableCommand {
  readonly type: 'print';
  /** null: it comes from stdin. */
  readonly prompt: string | null;
  readonly inputFormat: InputFormat;
  readonly output: OutputOptions;
  /** The client may switch to `bypassPermissions` while the command runs. */
  readonly mayBypassPermissions: boolean;
}

export interface WorkerCommand {
  readonly type: 'worker';
  /** Modules with tools of the user's, for every session. */
  readonly files: readonly string[];
  /** host:port for Prometheus; absent: what the environment says. */
  readonly metricsAddress?: string;
  /** host:port for health checks; absent: what the environment says. */
  readonly healthAddress?: string;
}

/** Starts a session that goes on without the command. */
export interface RunCommand extends RunnableCommand {
  readonly type: 'run';
  readonly prompt: string;
}

/** Talks with a person at a terminal. */
export interface InteractiveCommand extends RunnableCommand {
  readonly type: 'interactive';
  /** What is asked first; null: nothing yet. */
  readonly prompt: string | null;
}

interface RunnableCommand {
  readonly session: SessionChoice;
  /** false: nothing is kept once the session has ended. */
  readonly persistent: boolean;
  readonly run: RunFlags;
  readonly settings: SettingsFlags;
  /** Options that were given and have no effect yet, a sentence each. */
  readonly warnings: readonly string[];
}

/** Plays the conversations of a crash-test script as a Messages API. */
export interface ScriptedModelCommand {
  readonly type: 'scripted_model';
  readonly script: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface ServerCommand {
  readonly type: 'server';
  readonly action: 'start' | 'stop' | 'status';
  readonly json: boolean;
}

export interface ServiceCommand {
  readonly type: 'service';
  readonly action: 'install' | 'uninstall' | 'status';
  /** Show what would be installed. */
  readonly print: boolean;
}

export type SessionChoice =
  /** null: a new id. */
  | { readonly type: 'new'; readonly sessionId: string | null }
  | { readonly type: 'resume'; readonly sessionId: string; readonly point?: ResumePoint }
  /** The newest session of the working folder; a new one if there is none. */
  | { readonly type: 'continue' }
  /** A new session that begins with the conversation of another; the other stays as it is. */
  | {
      readonly type: 'fork';
      /** null: the newest session of the working folder. */
      readonly of: string | null;
      /** Of the new session; null: a new id. */
      readonly sessionId: string | null;
      readonly point?: ResumePoint;
    };

/** Where a conversation is taken up; absent: at its end. */
export interface ResumePoint {
  /** uuid of the last message that stays. */
  readonly at: string;
  /** uuid of the prompt whose turn the client means to drop; it must not lose more. Absent: whatever follows goes. */
  readonly dropsTurn?: string;
}

/** What the command line says about a run; what is absent comes from the settings. */
export type RunFlags = Partial<RunOptions>;

export interface SettingsFlags {
  /** Path of a settings file, or the JSON itself; null: none given. */
  readonly extra: string | null;
  /** null: all. */
  readonly sources: readonly SettingSource[] | null;
  /** Files with MCP servers, or the JSON itself. Absent: none given. */
  readonly mcpConfigs?: readonly string[];
  /** No other MCP servers count. */
  readonly strictMcp?: true;
}

export type SettingSource = (typeof SETTING_SOURCES)[number];
export const SETTING_SOURCES = ['user', 'project', 'local'] as const;

export type InputFormat = 'text' | 'stream-json';

export interface OutputOptions {
  readonly format: 'text' | 'json' | 'stream-json';
  /** With `json`: every message, not only the result. */
  readonly verbose: boolean;
  readonly includePartials: boolean;
  readonly replayPrompts: boolean;
  readonly includeHooks: boolean;
}

export const PERMISSION_MODES = [
  'default',
  'acceptEdits',
  'plan',
  'bypassPermissions',
  'dontAsk',
  'auto',
] as const satisfies readonly PermissionMode[];
