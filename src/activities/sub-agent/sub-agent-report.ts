import type { Terminal } from '../../loop/terminal';
import type { TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import { failed, type Ran } from '../run-tool/tool-run';

/** What a sub-agent leaves for whoever called it: a document of the session, by the id of its prompt. */
export interface SubAgentReport {
  readonly text: string;
  readonly reason: Terminal['reason'];
  readonly leaf: string | null;
}

export const reportName = (promptId: string): string => `agent-${promptId}`;

export function toReport(
  terminal: Terminal,
  chain: readonly TranscriptRecord[],
  leaf: string | null,
): SubAgentReport {
  const texts = chain.flatMap((record) =>
    record.type === 'assistant'
      ? record.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
  return { text: texts.at(-1) ?? '', reason: terminal.reason, leaf };
}

/** The result of the call that started the sub-agent. Only its last words cross. */
export async function resultOf(store: SessionStore, promptId: string): Promise<Ran> {
  const report = (await store.readDocument(reportName(promptId))) as SubAgentReport | undefined;
  if (report === undefined) return failed('The agent ended without a report.');
  const { text, reason } = report;
  const isDone = reason === 'completed' || reason === 'stop_hook_prevented';
  if (!isDone) return failed(`The agent did not finish (${reason}). Its last words: ${text}`);
  return {
    content: text === '' ? 'The agent finished without a text.' : text,
    structured: { status: 'completed', content: [{ type: 'text', text }] },
    isError: false,
  };
}
