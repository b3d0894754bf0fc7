import type { PermissionMode } from '../loop/state';
import type { RunOptions } from '../transcript/message';
import type { CrashTestCommand } from './crash-test';

/** What the command line asks for. Parsed once, never changed. */
export type Command =
  | PrintCommand
  | { readonly type: 'interactive' }
  /** `files`: modules with tools of the user's, for every session. */
  | { readonly type: 'worker'; readonly files: readonly string[] }
  | RunCommand
  | { readonly type: 'list'; readonly json: boolean }
  | { readonly type: 'attach'; readonly sessionId: string; readonly output: OutputOptions }
  | { readonly type: 'stop'; readonly sessionId: string }
  | ServerCommand
  | ServiceCommand
  | { readonly type: 'doctor'; readonly repair: boolean }
  | CrashTestCommand
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

/** Starts a session that goes on without the command. */
export interface RunCommand extends RunnableCommand {
  readonly type: 'run';
  readonly prompt: string;
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
