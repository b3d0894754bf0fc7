import type { ToolUseRef } from '../../loop/context';
import { questionName, type PermissionQuestion } from '../../transcript/permission';
import type { HookFacts, SessionStore } from '../../transcript/store';

/** A question as it waits in the store, with what the hooks said before it: they are not asked again. */
export interface StoredQuestion {
  readonly question: PermissionQuestion;
  readonly facts: HookFacts;
}

/** undefined: nobody was asked about the call. */
export async function findQuestion(
  store: SessionStore,
  call: ToolUseRef,
): Promise<StoredQuestion | undefined> {
  return (await store.readDocument(questionName(call))) as StoredQuestion | undefined;
}
