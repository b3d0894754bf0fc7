import { join } from 'node:path';
import type { Reply } from '../../scripted-model/reply';
import type { Counters } from '../../loop/counters';
import type { QueryStatus } from '../../workflows/interface';
import { BenchSession } from '../bench-session';
import { sampled, single } from '../figure';
import { oneToolTurns } from '../model/one-tool-turns';
import { sleepingTools } from '../model/sleeping-tools';
import type { Size } from '../options';
import type { Figure, Measured } from '../report';
import type { Rig } from '../rig';
import { whileServed } from '../served';

const MB = 1_000_000;

/** What one prompt was answered with, by the query's own account and by the model's. */
interface Answered {
  readonly name: string;
  readonly counters: Counters;
  readonly bodyBytes: readonly number[];
  readonly summaries: number;
}

/** The counters that operators read from a query's `status`, over prompts that take every kind of iteration. */
export async function measureCounters(rig: Rig, size: Size): Promise<Measured> {
  const answered = await whileServed(rig, async () => {
    const session = await BenchSession.create(rig);
    const all: Answered[] = [];
    for (const [name, replies] of promptsOf(rig, size)) {
      all.push(await answer(rig, session, name, replies));
    }
    await rig.connected.agent.release(session.store.meta.sessionId);
    await session.closed();
    return all;
  });
  const all = answered.map(({ counters }) => counters);
  const seen = sum(answered.map(({ summaries }) => summaries));
  return {
    figures: [
      ...answered.flatMap(promptFigures),
      sampled(
        'iterations per prompt',
        'times',
        all.map(({ iterations }) => iterations),
      ),
      single(
        'ms per iteration',
        'ms',
        sum(all.map((of) => of.iterationMs)) / sum(all.map((of) => of.iterations)),
      ),
      ...overlapFigures('', all),
      ...betweenFigures(all),
      sampled(
        'message array per iteration',
        'MB',
        answered.flatMap(({ bodyBytes }) => bodyBytes.map((bytes) => bytes / MB)),
      ),
      single(
        'compactions counted, of those the model saw',
        'ratio',
        sum(all.map((of) => of.compactions)) / seen,
      ),
      ...recoveryFigures(all),
    ],
    curves: [],
    notes: [
      'Asked of each query by the Query `status` when it has ended; nothing is added to Event History for it. The message array is measured at the model.',
      'An iteration is one pass of the loop: a recovery is an iteration, but no turn.',
    ],
  };
}

function promptsOf(rig: Rig, size: Size): readonly (readonly [string, readonly Reply[]])[] {
  const done: Reply = { content: [{ type: 'text', text: 'Done.' }] };
  const cutOff: Reply = { content: [{ type: 'text', text: 'And' }], stop_reason: 'max_tokens' };
  const error = {
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  } as const;
  return [
    ['a text', [done]],
    ['many turns', oneToolTurns(size.counterTurns, join(rig.project, 'files'))],
    ['four tools at once', sleepingTools([1, 1, 1, 1])],
    ['cut off twice', [cutOff, cutOff, done]],
    ['too long', [{ error }, done]],
  ];
}

async function answer(
  rig: Rig,
  session: BenchSession,
  name: string,
  replies: readonly Reply[],
): Promise<Answered> {
  const { model, connected } = rig;
  rig.log(`counters: ${name}`);
  await model.play(replies);
  const messageId = await session.submit('Read on.', { isLast: false });
  await session.answered(messageId);
  const query = connected.client.workflow.getHandle(session.queryId(messageId));
  const { counters } = await query.query<QueryStatus>('status');
  const bodyBytes = model.arrivals.map((arrival) => arrival.bodyBytes);
  return { name, counters, bodyBytes, summaries: model.summaries.length };
}

function promptFigures({ name, counters, bodyBytes }: Answered): Figure[] {
  const { iterations, iterationMs } = counters;
  return [
    single(`${name}: iterations`, 'times', iterations),
    single(`${name}: requests`, 'requests', bodyBytes.length),
    single(`${name}: ms per iteration`, 'ms', iterationMs / iterations),
    ...overlapFigures(`${name}: `, [counters]),
  ];
}

function overlapFigures(of: string, all: readonly Counters[]): Figure[] {
  const toolMs = sum(all.map((of) => of.toolMs));
  const overlapMs = sum(all.map((of) => of.overlapMs));
  if (toolMs === 0) return [];
  return [
    single(`${of}tool time`, 's', toolMs / 1_000),
    single(`${of}tool time while the reply streamed`, '%', (overlapMs / toolMs) * 100),
  ];
}

function betweenFigures(all: readonly Counters[]): Figure[] {
  const between = all.flatMap(({ turnsBetweenCompactions }) => turnsBetweenCompactions ?? []);
  return between.length === 0 ? [] : [sampled('turns between compactions', 'turns', between)];
}

function recoveryFigures(all: readonly Counters[]): Figure[] {
  const kinds = new Set(all.flatMap(({ recoveries }) => Object.keys(recoveries)));
  return [...kinds].sort().map((kind) => {
    const times = all
      .flatMap(({ recoveries }) => Object.entries(recoveries))
      .filter(([name]) => name === kind);
    return single(`recoveries: ${kind}`, 'times', sum(times.map(([, count]) => count)));
  });
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
