import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EverloopPlugin } from 'everloop';

export interface Ticket {
  readonly id: string;
  readonly text: string;
}

/** What is told to the customer: a text, or the answer of an agent. */
type Reply =
  | { readonly text: string }
  | { readonly answer: { readonly sessionId: string; readonly messageId: string } };

export interface TicketActivities {
  triage(ticket: Ticket): Promise<{ readonly kind: 'bug' | 'praise'; readonly folder: string }>;
  publish(ticketId: string, reply: Reply): Promise<string>;
}

/** `folder`: where the shop's code lies, and answers are put. */
export function createActivities(agents: EverloopPlugin, folder: string): TicketActivities {
  return {
    async triage({ text }) {
      return { kind: /wrong|broken|fails/.test(text) ? 'bug' : 'praise', folder };
    },
    async publish(ticketId, reply) {
      const text =
        'text' in reply ? reply.text : ((await agents.resultOf(reply.answer)).result ?? '');
      writeFileSync(join(folder, `${ticketId}.md`), `${text}\n`);
      return text;
    },
  };
}
