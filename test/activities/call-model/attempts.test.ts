import { contentOf } from '../contents';
import { given, type Given } from '../given';
import { failureOf } from '../fake-attempt';
import { ask } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;
const read = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a' } } as const;
const overloaded = { error: { type: 'overloaded_error' } } as const;

test('a reply that was committed and not reported is adopted: same Reply, no second request', async () => {
  at = await given({ script: [{ content: [say('Look.'), read] }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const first = await ask(worker, said, attempt);

  const second = await ask(at.worker(), said, attempt.next());

  expect(second).toEqual(first);
  expect(at.model.requests).toHaveLength(1);
});

test('an adopted reply is told to observers as kept, also if its first Worker did not come to that', async () => {
  at = await given({ script: [{ content: [say('Hi.')] }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const { store, lease } = await worker.session();
  const append = store.log.append.bind(store.log);
  store.log.append = async (_lease, entries) => {
    if (entries.some(({ type }) => type === 'stream_committed')) throw new Error('killed here');
    await append(lease, entries);
  };
  await ask(worker, said).catch(() => undefined);

  const successor = at.worker();
  const outcome = await ask(successor, said, said.attempt().next());

  expect((await successor.log()).at(-1)).toMatchObject({
    type: 'stream_committed',
    stream: 'stream' in outcome && outcome.stream,
    leaf: 'leaf' in outcome && outcome.leaf,
  });
});

test('an attempt that died behind its input does not chain the input twice, and cannot commit any more', async () => {
  at = await given({
    script: [{ content: [say('Late.')], hold: 'door' }, { content: [say('Hi.')] }],
  });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const stopped = ask(worker, said);
  await at.model.waitUntilHeld('door');

  const successor = at.worker();
  await ask(successor, said, said.attempt().next());
  at.model.release('door');

  await expect(stopped).rejects.toThrow('is over');
  expect((await successor.transcript()).map(contentOf)).toEqual(['Hello', [say('Hi.')]]);
});

test('a lost Worker uses up no retry', async () => {
  at = await given({ script: [{ hold: 'door' }, overloaded, overloaded] });
  const said = await at.worker().say('Hello');
  const lost = said.attempt();
  const losing = ask(at.worker(), said, lost);
  await at.model.waitUntilHeld('door');
  lost.end(new Error('shutdown'));
  await expect(losing).rejects.toThrow('shutdown');
  const worker = at.worker({ maxRetries: 1 });

  const failure = await failureOf(ask(worker, said, lost.next()));
  const outcome = await ask(worker, said, lost.next().next());

  expect(failure.type).toBe('ModelCall.Retry');
  expect(outcome).toMatchObject({ type: 'reply', apiError: 'overloaded' });
});

test('blocks of a stream that broke are taken back and forgotten', async () => {
  const interruptions = [{ type: 'cut', afterBlocks: 1 }] as const;
  const half = { content: [say('Half.'), say('Rest.')], interruptions };
  at = await given({ script: [half, overloaded] });
  const worker = at.worker();
  const said = await worker.say('Hello');

  await failureOf(ask(worker, said));

  const { uncommitted } = await worker.session();
  expect(uncommitted.size).toBe(0);
  const told = (await worker.log()).flatMap((entry) => ('stream' in entry ? [entry.type] : []));
  expect(told.slice(0, 3)).toEqual(['stream_started', 'record', 'stream_discarded']);
  expect((await worker.transcript()).map(contentOf)).toEqual(['Hello']);
});
