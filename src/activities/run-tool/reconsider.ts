import { NO_GRANTS } from '../../transcript/permission';
import type { Tool, ToolContext } from '../../tools/tool';
import type { Granted } from '../../workflows/approval';
import { denied } from './ask-permission';
import { permissionFor } from './check-permission';
import { recordDecision } from './decided-answer';
import { grant } from './grants';
import { changedInput, type Checked, type ToolRun } from './run-tool';
import { findQuestion } from './stored-question';

/** Looks at a call that waits once more, because somebody allowed calls like another one. Hooks are not asked again:
 *  what they said is in its question, and what they want a person to confirm stays open. */
export async function reconsider(
  run: ToolRun,
  tool: Tool,
  parsed: unknown,
  { context, granted }: { readonly context: ToolContext; readonly granted: Granted },
): Promise<Checked> {
  const { session, input } = run;
  const source = await findQuestion(session.store, granted.call);
  const { suggestedRules: allow = [] } = source?.question ?? {};
  if (allow.length > 0) await grant(session, { ...NO_GRANTS, allow });
  const stored = await findQuestion(session.store, input.call);
  if (stored === undefined || stored.question.reasonType === 'hook') return 'ask';
  const { facts } = stored;
  const changed = changedInput(tool, parsed, facts);
  const decision = await permissionFor(run, tool, changed, { context, hook: null });
  switch (decision.behavior) {
    case 'ask':
      return 'ask';
    case 'deny':
      return { ran: denied(decision.message), facts };
    case 'allow':
      await recordDecision(run, { behavior: 'allow', by: granted.by });
      return { input: changed, facts };
  }
}
