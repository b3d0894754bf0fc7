import type { Stop } from '../../src/in-process';
import { lastMessage, plainModel, runToEnd, says } from './builders';

const COMPLETED = { reason: 'completed', detail: 'end_turn' };

test('what a caller objects to the end goes to the model, and the caller is told next time', async () => {
  const model = plainModel(says('done'), says('tested too'));
  const stops: Stop[] = [];

  const { terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    async onStop(stop) {
      stops.push(stop);
      return stops.length > 1 ? null : { type: 'block', feedback: 'Run the tests.' };
    },
  });

  expect(terminal).toEqual(COMPLETED);
  expect(stops).toEqual([
    { lastMessage: 'done', stopHookActive: false },
    { lastMessage: 'tested too', stopHookActive: true },
  ]);
  expect(lastMessage(model.requests[1])).toMatchObject([
    { text: 'Stop hook feedback:\nRun the tests.' },
  ]);
});

test('a caller that always objects is heard eight times', async () => {
  const model = plainModel(...Array.from({ length: 9 }, () => says('done')));

  const { terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    onStop: () => Promise.resolve({ type: 'block', feedback: 'More.' }),
  });

  expect(terminal).toEqual(COMPLETED);
  expect(model.requests).toHaveLength(9);
});

test('a caller can end the run', async () => {
  const { terminal } = await runToEnd({
    ...plainModel(says('done')),
    prompt: 'go',
    model: 'm',
    onStop: () => Promise.resolve({ type: 'end' }),
  });

  expect(terminal).toEqual({ reason: 'stop_hook_prevented' });
});

test('an end with an error is not the caller’s to object to', async () => {
  const onStop = jest.fn();

  const { terminal } = await runToEnd({ ...plainModel(), prompt: 'go', model: 'm', onStop });

  expect(terminal).toEqual({ reason: 'completed', detail: 'api_error' });
  expect(onStop).not.toHaveBeenCalled();
});
