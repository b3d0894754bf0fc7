import { proxyActivities } from '@temporalio/workflow';
import { runAgent } from 'everloop/workflow';
import type { Ticket, TicketActivities } from './activities';

const { triage, publish } = proxyActivities<TicketActivities>({ startToCloseTimeout: '1 minute' });

/** A step of ordinary code, an agent, and a step that uses its answer. Each survives the death of its Worker. */
export async function handleTicket(ticket: Ticket): Promise<string> {
  const { kind, folder } = await triage(ticket);
  if (kind === 'praise') return publish(ticket.id, { text: 'Thank you!' });
  const answer = await runAgent({
    prompt: `A customer writes: "${ticket.text}" Find the cause in this folder, repair it, and say what was wrong.`,
    cwd: folder,
    options: { permissionMode: 'acceptEdits', maxTurns: 20 },
  });
  if (answer.isError)
    return publish(ticket.id, { text: `A person looks at it: ${answer.preview}` });
  // The whole answer lies in the transcript store: history gets the names by which `publish` finds it.
  return publish(ticket.id, {
    answer: { sessionId: answer.sessionId, messageId: answer.messageId },
  });
}
