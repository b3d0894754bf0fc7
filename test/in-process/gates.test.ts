import { DEFAULT_GATES, type Gates } from '../../src/loop/gates';
import { calls, lastMessage, plainModel, runToEnd, says, tool, use } from './builders';

const names = Object.keys(DEFAULT_GATES) as readonly (keyof Gates)[];
const otherwise = (name: keyof Gates): Partial<Gates> => ({ [name]: !DEFAULT_GATES[name] });
const all = (value: boolean): Partial<Gates> =>
  Object.fromEntries(names.map((name) => [name, value]));

const look = tool('Look', {
  isConcurrencySafe: () => true,
  call: () => Promise.resolve({ content: 'a long result '.repeat(2_000), structured: null }),
});

/** Two safe calls, one that runs alone, a reply that is cut off, and the end. */
const work = () =>
  plainModel(
    calls(use('Look'), use('Look'), { type: 'text', text: 'and more' }),
    calls(use('Change')),
    { ...says('Almost'), stop_reason: 'max_tokens' },
    says('done'),
  );

test.each<[string, Partial<Gates>]>([
  ...names.map((name): [string, Partial<Gates>] => [
    `${name} ${DEFAULT_GATES[name] ? 'off' : 'on'}`,
    otherwise(name),
  ]),
  ['every gate off', all(false)],
  ['every gate on', all(true)],
])('with %s the work is done all the same', async (_gates, gates) => {
  const model = work();
  const tools = [look, tool('Change')];

  const { events, terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', tools, gates });

  expect(terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  const results = events.flatMap((event) => (event.type === 'tool_result' ? [event] : []));
  expect(results.map(({ toolUse }) => toolUse.name)).toEqual(['Look', 'Look', 'Change']);
  expect(lastMessage(model.requests[2])).toMatchObject([{ content: 'Change is done' }]);
});
