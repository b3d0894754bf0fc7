import type Anthropic from '@anthropic-ai/sdk';
import type { PermissionRule } from '../permissions/rule';
import type { RunOptions } from '../transcript/message';
import type { FileSeen } from '../transcript/record';
import type { Tool } from '../tools/tool';
import type { ServedSessions } from './served-sessions';

/** What the Activities of one Worker share. */
export interface ActivityDeps {
  readonly sessions: ServedSessions;
  /** Retries belong to Temporal: built with `maxRetries: 0`. */
  readonly anthropic: Anthropic;
  readonly apiKeySource: string;
  readonly tools: readonly Tool[];
  readonly surroundings: Surroundings;
  /** API failures of one request after which its error is shown. */
  readonly maxRetries: number;
  /** Output tokens to ask for when nobody says otherwise. */
  readonly maxOutputTokens: number;
  /** After so long without an event a stream counts as lost; omitted: five minutes. */
  readonly silenceLimitMs?: number;
  /** Written into every record. */
  readonly version: string;
  now(): Date;
  /** In [0, 1). */
  random(): number;
}

/** What the folder of a session and the user's own files add to a query. */
export interface Surroundings {
  /** Rules from the message's options and from the settings files. */
  permissionRules(of: Place): Promise<readonly PermissionRule[]>;
  /** What a conversation begins with. Read once per session and kept: a request's prefix must not change. */
  conversationStart(
    of: Place & { readonly model: string; readonly now: Date },
  ): Promise<ConversationStart>;
  /** What a prompt really says: commands expanded, mentioned files read. */
  expandPrompt(text: string, of: Place): Promise<ExpandedPrompt>;
}

export interface Place {
  readonly cwd: string;
  readonly options: RunOptions;
}

/** JSON: it is stored with the session. */
export interface ConversationStart {
  readonly system: readonly string[];
  /** Memory files, as one text for the first user message; null: there are none. */
  readonly userContext: string | null;
}

/** `local`: answered here, the model is not asked. */
export type ExpandedPrompt =
  | {
      readonly type: 'prompt';
      readonly text: string;
      readonly attachments: readonly PromptAttachment[];
    }
  | { readonly type: 'local'; readonly answer: string };

/** `filesSeen` count as read, so that they may be edited at once. */
interface PromptAttachment {
  readonly text: string;
  readonly filesSeen: readonly FileSeen[];
}
