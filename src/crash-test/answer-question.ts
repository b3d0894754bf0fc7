import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../client/agent-client';
import type { PermissionAnswer } from '../transcript/permission';
import type { LogEntry } from '../transcript/session-log';
import type { SessionStore } from '../transcript/store';
import type { CrashScript } from './crash-script';

const LOOK_AGAIN_MS = 20;

type Asked = Extract<LogEntry, { type: 'permission_requested' }>;

/** What the script's person says. Said again until somebody has heard it: the Worker may be gone just now.
 *  Fails: when the signal aborts. */
export async function answerQuestion(
  { queryId, question }: Asked,
  of: {
    readonly agent: AgentClient;
    readonly session: SessionStore;
    readonly answers: CrashScript['answers'];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { agent, session, answers, signal } = of;
  const behavior = answers.find(({ tool }) => tool === question.toolName)?.behavior ?? 'allow';
  const answer: PermissionAnswer =
    behavior === 'allow'
      ? { behavior, by: 'crash test' }
      : { behavior, message: 'No.', by: 'crash test' };
  for (;;) {
    try {
      await agent.answer(session, { queryId, call: question.call }, answer);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}
