import {
  commandText,
  isEndTold,
  listShells,
  noteEndTold,
  stateOf,
} from '../../tools/shell/background-shell';
import type { BackgroundShell, ShellState } from '../../tools/shell/background-shell';
import { toReminder } from '../reminder';
import { attachedKeys } from './attached-keys';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

const COMMAND_CHARS = 200;

/** Tells of background shells that have ended. What the context holds is noted with the shell, so that a
 *  compaction does not bring it back. */
export async function attachTaskNotifications(facts: TurnFacts): Promise<TurnAttachment | null> {
  if (!facts.isMainThread) return null;
  const told = attachedKeys(facts.chain, 'task_notification');
  const ended: EndedShell[] = [];
  for (const shell of await listShells(facts.shellsFolder)) {
    if (await isEndTold(shell)) continue;
    const state = await stateOf(shell);
    if (told.has(shell.id)) await noteEndTold(shell);
    else if (state.status !== 'running') ended.push({ shell, state });
  }
  if (ended.length === 0) return null;
  const notices = await Promise.all(ended.map(describe));
  return {
    type: 'task_notification',
    text: toReminder(notices.join('\n')),
    filesSeen: [],
    keys: ended.map(({ shell }) => shell.id),
  };
}

interface EndedShell {
  readonly shell: BackgroundShell;
  readonly state: ShellState;
}

async function describe({ shell, state }: EndedShell): Promise<string> {
  const command = (await commandText(shell)).replace(/\s+/g, ' ').trim().slice(0, COMMAND_CHARS);
  return `<task-notification>
<task-id>${shell.id}</task-id>
<status>${state.status}</status>
<summary>Background shell "${command}" ${howItEnded(state)}. Its new output: BashOutput, or ${shell.command.files.output}</summary>
</task-notification>`;
}

function howItEnded({ status, exitCode, verdict }: ShellState): string {
  if (exitCode !== null) return `ended with exit code ${exitCode}`;
  if (verdict === 'output_limit') return 'was ended, because it printed more than can be kept';
  if (verdict === 'session_ended') return 'was ended when the session ended or was stopped';
  return status === 'killed' ? 'was killed' : 'is gone and has left no exit code';
}
