import type { Reply } from '../../src/scripted-model/reply';
import { ask, withModel } from './with-model';

const text = (words: string, hold?: string) => ({ type: 'text' as const, text: words, hold });

describe('gates of the scripted model', () => {
  test('a held reply is not answered before its gate is released', async () => {
    await withModel(
      { script: [{ content: [text('late')], hold: 'door' }] },
      async (model, client) => {
        let isAnswered = false;
        const answer = client.messages.create(ask()).then(() => (isAnswered = true));
        await model.waitUntilHeld('door');

        expect(isAnswered).toBe(false);
        expect(model.status().held).toEqual(['door']);
        model.release('door');
        await answer;
        expect(model.status().held).toEqual([]);
      },
    );
  });

  test('a gate between blocks lets the first block through', async () => {
    const script: Reply[] = [{ content: [text('first'), text('second', 'between')] }];
    await withModel({ script }, async (model, client) => {
      const stream = client.messages.stream(ask());
      const block = await new Promise((resolve) => stream.once('contentBlock', resolve));
      await model.waitUntilHeld('between');

      expect(block).toMatchObject({ text: 'first' });
      expect(model.requests[0]?.outcome).toBe('pending');
      model.release('between');
      expect((await stream.finalMessage()).content).toHaveLength(2);
    });
  });

  test('a gate can stand inside a block', async () => {
    const reply: Reply = {
      content: [text('0123456789')],
      deltaChars: 5,
      interruptions: [{ type: 'hold', name: 'middle', afterDeltas: 1 }],
    };
    await withModel({ script: [reply] }, async (model, client) => {
      const stream = client.messages.stream(ask());
      const first = await new Promise((resolve) => stream.once('text', resolve));
      await model.waitUntilHeld('middle');

      expect(first).toBe('01234');
      model.release('middle');
      expect(await stream.finalText()).toBe('0123456789');
    });
  });

  test('a gate released before anyone comes is open', async () => {
    await withModel({ script: [{ hold: 'door' }] }, async (model, client) => {
      model.release('door');

      await expect(client.messages.create(ask())).resolves.toMatchObject({ role: 'assistant' });
    });
  });

  test('a client that leaves a held reply frees the gate', async () => {
    await withModel({ script: [{ hold: 'door' }] }, async (model, client) => {
      const abort = new AbortController();
      const answer = client.messages.create(ask(), { signal: abort.signal });
      await model.waitUntilHeld('door');

      abort.abort();

      await expect(answer).rejects.toThrow('aborted');
      await model.requests[0]?.ended;
      expect(model.requests[0]?.clientLeft).toBe(true);
      expect(model.status()).toMatchObject({ held: [], clientsLeft: 1 });
    });
  });

  test('a request can be awaited before it comes', async () => {
    await withModel({ script: [{}, {}] }, async (model, client) => {
      const second = model.waitForRequest(1);
      await client.messages.create(ask());
      await client.messages.create(ask(1));

      expect((await second).body).toEqual(ask(1));
    });
  });

  test('a wait that lasts too long, or past the end of the model, says what was awaited', async () => {
    await withModel({ script: [] }, async (model) => {
      await expect(model.waitForRequest(3, { timeoutMs: 5 })).rejects.toThrow(
        'Request 3 to the scripted model: not within 5 ms.',
      );
      await expect(model.waitUntilHeld('door', { timeoutMs: 5 })).rejects.toThrow('gate "door"');
      const last = model.waitForRequest(0);
      await Promise.all([
        expect(last).rejects.toThrow('The scripted model was closed.'),
        model.close(),
      ]);
    });
  });
});
