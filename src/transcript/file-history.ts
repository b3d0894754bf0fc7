import type { ToolUseRef } from '../loop/context';

/** A file at some moment; null: there was none. `digest`: hex SHA-256 of its bytes, which `SessionStore.kept` has.
 *  `mode`: permission bits; null: as the system gives them to a new file. */
export type FileState = { readonly digest: string; readonly mode: number | null } | null;

/** What a call makes of a file. */
export interface FileChange {
  /** Absolute, links resolved. */
  readonly path: string;
  /** The folder of the session that it lies in; absolute, links resolved. */
  readonly root: string;
  readonly before: FileState;
  readonly after: FileState;
  /** The topmost folder that has to be made for it; null: none. */
  readonly madeFolder: string | null;
}

/** A look at the files that calls have changed: what was found other than it was known. */
export interface FilesFound {
  /** When: before the message with this id, or after the call of the record with it. */
  readonly at: string;
  readonly files: readonly { readonly path: string; readonly state: FileState }[];
}

/** What a ledger says, in the order in which it was written. */
export type LedgerEvent =
  | { readonly type: 'intent'; readonly call: ToolUseRef; readonly tool: string }
  | { readonly type: 'result'; readonly call: ToolUseRef }
  | { readonly type: 'change'; readonly call: ToolUseRef; readonly change: FileChange }
  | { readonly type: 'found'; readonly found: FilesFound };

/** A file that calls have changed, as it was known last. */
export interface TrackedFile {
  readonly root: string;
  readonly state: FileState;
}
