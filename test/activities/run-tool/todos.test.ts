import { call, called, run, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const todos = (content: string) => ({
  todos: [{ content, status: 'pending', activeForm: content }],
});

/** Structured output of the n-th call, run by a Worker of its own. */
async function write(index: number): Promise<unknown> {
  const worker = at.worker();
  await run(at, worker, { index });
  const { store } = await worker.session();
  return (await store.ledger.find(at.calls[index]!))?.result?.record.toolUseResult;
}

test('the todo list is one of the session: another Worker finds it', async () => {
  at = await called([call('TodoWrite', todos('Paint')), call('TodoWrite', todos('Dry'))]);

  await write(0);

  expect(await write(1)).toMatchObject({ oldTodos: todos('Paint').todos });
});
