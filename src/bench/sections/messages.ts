import { BenchSession } from '../bench-session';
import { clockMs } from '../clock';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import type { Size } from '../options';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import { readRunChain } from '../run-chain';
import { whileServed } from '../served';
import { medianOf } from '../summary';

const ENDS = 20;
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const PATIENCE_MS = 30_000;

interface Sent {
  readonly messageId: string;
  readonly calledAtMs: number;
  readonly acceptedAtMs: number;
  readonly arrivedAtMs: number;
}

/** One session, one message after the other, each answered with a text. */
export async function measureMessages(rig: Rig, size: Size): Promise<Measured> {
  const { client } = rig.connected;
  const session = await BenchSession.create(rig);
  const sent = await whileServed(rig, async () => {
    const messages = await converse(rig, session, size.messages);
    await rig.connected.agent.release(session.store.meta.sessionId);
    await session.closed();
    return messages;
  });

  const sessionChain = await readRunChain(client, session.workflowId);
  const queries = [];
  for (const { messageId } of sent) {
    const chain = await readRunChain(client, session.queryId(messageId));
    queries.push({ events: chain.events, bytes: chain.bytes });
  }
  const perMessage = (total: number): number => total / sent.length;
  const toRequest = sent.map(({ calledAtMs, arrivedAtMs }) => arrivedAtMs - calledAtMs);
  const [first, last] = [toRequest.slice(0, ENDS), toRequest.slice(-ENDS)];
  return {
    figures: [
      sampled('submit called → request', 'ms', toRequest, GOALS.messageMs),
      sampled(
        'submit called → accepted',
        'ms',
        sent.map((one) => one.acceptedAtMs - one.calledAtMs),
      ),
      sampled(
        'accepted → request',
        'ms',
        sent.map((one) => one.arrivedAtMs - one.acceptedAtMs),
      ),
      sampled(`submit called → request, first ${ENDS}`, 'ms', first),
      sampled(`submit called → request, last ${ENDS}`, 'ms', last),
      single('last / first', 'ratio', medianOf(last) / medianOf(first), GOALS.lastOverFirst),
      sampled(
        'events of the query',
        'events',
        queries.map(({ events }) => events),
      ),
      single('events of the session, a message', 'events', perMessage(sessionChain.events)),
      single(
        'events a message, both',
        'events',
        perMessage(sessionChain.events + sum(queries.map(({ events }) => events))),
        GOALS.messageEvents.limit,
      ),
      sampled(
        'history of the query',
        'KB',
        queries.map(({ bytes }) => bytes / 1_000),
      ),
      single('history of the session, a message', 'KB', perMessage(sessionChain.bytes) / 1_000),
      single(
        'history a message, both',
        'KB',
        perMessage(sessionChain.bytes + sum(queries.map(({ bytes }) => bytes))) / 1_000,
        GOALS.messageKB.limit,
      ),
    ],
    curves: [],
    notes: [
      `${sent.length} messages; the next one is submitted when the session's log says that the query of the last has ended, as a client would. "Accepted" may come after the request: the session starts its query at once.`,
      `The session's Workflow ran as ${sessionChain.runs} runs.`,
    ],
  };
}

async function converse(
  rig: Rig,
  session: BenchSession,
  messages: number,
): Promise<readonly Sent[]> {
  const { model } = rig;
  await model.play(
    Array.from({ length: messages }, (_, index) => ({
      content: [{ type: 'text' as const, text: `Answer ${index}.` }],
    })),
  );
  const leave = new AbortController();
  const log = session.store.log.follow(null, leave.signal);
  const sent: Sent[] = [];
  try {
    for (let index = 0; index < messages; index += 1) {
      const calledAtMs = clockMs();
      const messageId = await session.submit(`Question ${index}?`, { isLast: false });
      const acceptedAtMs = clockMs();
      const { arrivedAtMs } = await model.request(index, PATIENCE_MS);
      sent.push({ messageId, calledAtMs, acceptedAtMs, arrivedAtMs });
      for (;;) {
        const next = await log.next();
        if (next.done === true) throw new Error('The log of the session ended too early.');
        if (next.value.entry.type === 'query_ended') break;
      }
    }
    return sent;
  } finally {
    leave.abort();
  }
}
