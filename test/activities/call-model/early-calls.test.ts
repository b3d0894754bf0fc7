import type { Reply as ScriptedReply, ReplyBlock } from '../../../src/scripted-model/reply';
import { given, type Given } from '../given';
import type { FakeAttempt } from '../fake-attempt';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const text: ReplyBlock = { type: 'text', text: 'So.' };
const read = (id: string): ReplyBlock => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: { file_path: id },
});
const write = (id: string): ReplyBlock => ({
  type: 'tool_use',
  id,
  name: 'Write',
  input: { file_path: id, content: '' },
});

async function askFor(content: readonly ReplyBlock[], early = true) {
  at = await given({ script: [{ content }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const reply = toReply(await ask(worker, said, attempt, { early }));
  return { attempt, reply };
}

const readyIds = ({ ready }: FakeAttempt) => ready.map(({ toolUse }) => toolUse.id);

test.each<[string, readonly ReplyBlock[], readonly string[]]>([
  ['a safe call that the reply goes on behind', [read('a'), text], ['a']],
  ['no call that ends the reply', [text, read('a')], []],
  ['of two safe calls the first', [read('a'), read('b')], ['a']],
  ['of three safe calls two', [read('a'), read('b'), read('c')], ['a', 'b']],
  ['no call that must run alone', [write('a'), text], []],
  ['no call behind one that must run alone', [read('a'), write('b'), read('c'), text], ['a']],
])('told early: %s', async (_claim, content, expected) => {
  const { attempt } = await askFor(content);

  expect(readyIds(attempt)).toEqual(expected);
});

test('with early calls switched off nothing is told early', async () => {
  const { attempt, reply } = await askFor([read('a'), read('b'), text], false);

  expect(attempt.ready).toEqual([]);
  expect(reply.toolUses).toHaveLength(2);
});

test('an early call is told with the Activity and the stream it belongs to, as the reply tells it again', async () => {
  const { attempt, reply } = await askFor([read('a'), text]);

  const [toolUse] = reply.toolUses;
  expect(attempt.ready).toEqual([{ activityId: '1', stream: reply.stream, toolUse }]);
});

test('an early call is told while the reply still streams, and its input can be found', async () => {
  const script: ScriptedReply[] = [
    { content: [read('a'), { type: 'text', text: 'More.' }, { ...text, hold: 'end' }] },
  ];
  at = await given({ script });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const told = new Promise<string>((resolve) => {
    attempt.signalToolReady = async ({ toolUse }) => resolve(toolUse.recordId);
  });

  const asked = ask(worker, said, attempt);
  const recordId = await told;
  const { uncommitted } = await worker.session();
  const found = uncommitted.get(recordId);
  at.model.release('end');
  await asked;

  expect(found).toMatchObject({ message: { content: [{ input: { file_path: 'a' } }] } });
  expect(uncommitted.size).toBe(0);
});

test('an early call that could not be told is no failure: the reply tells of it', async () => {
  at = await given({ script: [{ content: [read('a'), text, { ...text, hold: 'end' }] }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  attempt.signalToolReady = () => Promise.reject(new Error('the server is away'));

  const asked = ask(worker, said, attempt);
  await at.model.waitUntilHeld('end');
  at.model.release('end');

  expect(toReply(await asked).toolUses).toMatchObject([{ id: 'a' }]);
});
