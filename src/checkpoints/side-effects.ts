import type { Tool } from '../tools/tool';
import type { SessionStore } from '../transcript/store';
import { callsBehind } from './files-at';
import type { RewindPoint } from './rewind-point';

/** A call whose effect no rewind undoes. */
export interface SideEffect {
  readonly tool: string;
  /** A few words for people: "npm test". */
  readonly summary: string;
}

/** Tools whose only effect is on files that are kept, or on the session itself. */
const UNDONE = new Set(['Write', 'Edit', 'NotebookEdit', 'Agent', 'TodoWrite', 'AskUserQuestion']);

/** Calls behind the point that may have changed something that is no kept file: commands, MCP calls, and tools that
 *  nobody here knows. `tools`: those that are known. */
export async function sideEffectsBehind(
  session: SessionStore,
  point: RewindPoint,
  tools: readonly Tool[],
): Promise<readonly SideEffect[]> {
  const effects: SideEffect[] = [];
  for (const { call, tool: name } of callsBehind(await session.ledger.events(), point)) {
    if (UNDONE.has(name)) continue;
    const record = await session.findRecord(call.recordId);
    const blocks = record?.type === 'assistant' ? record.message.content : [];
    const block = blocks.find((one) => one.type === 'tool_use' && one.id === call.id);
    const input = block?.type === 'tool_use' ? block.input : undefined;
    const effect = effectOf(name, input, tools);
    if (effect !== null) effects.push(effect);
  }
  return effects;
}

/** null: it can have changed nothing. */
function effectOf(name: string, input: unknown, tools: readonly Tool[]): SideEffect | null {
  const tool = tools.find((one) => one.name === name);
  const parsed = tool?.inputSchema.safeParse(input);
  if (tool === undefined || parsed?.success !== true) return { tool: name, summary: '' };
  return tool.isReadOnly(parsed.data) ? null : { tool: name, summary: tool.summarize(parsed.data) };
}
