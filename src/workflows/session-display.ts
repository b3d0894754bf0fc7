import { CancellationScope, condition, setCurrentDetails } from '@temporalio/workflow';
import type { SessionState } from './session-state';

/** Shows in the Temporal UI what the session does, as it changes. Replay: no command, no event. */
export function displaySession(look: () => SessionState): void {
  const watch = async (): Promise<void> => {
    for (;;) {
      const details = sessionDetails(look());
      setCurrentDetails(details);
      await condition(() => sessionDetails(look()) !== details);
    }
  };
  // The session sees its query to the end, also when it was cancelled.
  void CancellationScope.nonCancellable(watch);
}

/** Markdown. */
export function sessionDetails(state: SessionState): string {
  const { activeQuery, inbox, costUsd = 0, paused } = state;
  const running = activeQuery === null ? 'idle' : `running query \`${activeQuery.workflowId}\``;
  return [
    `**${paused === true ? 'paused' : running}**`,
    ...(paused === true ? ['Send the Signal `resume`.'] : []),
    ...(inbox.length > 0 ? [`Messages that wait: ${inbox.length}`] : []),
    `Cost of the queries that have ended: $${costUsd.toFixed(4)}`,
  ].join('\n\n');
}
